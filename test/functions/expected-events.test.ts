import type { Context } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { queues } from "../../infra/functions/queues.ts";
import { getHealth } from "../../shared/contract/service.ts";
import { eventOf } from "../support/requests/call.ts";
import { functionFiles } from "../support/service/function-files.ts";
import { useService } from "../support/service/service.ts";
import { queueEvent, streamRecord } from "../support/workers/workers.ts";

useService();

const files = functionFiles();
const context = { awsRequestId: "call", getRemainingTimeInMillis: () => 20_000 } as Context;

const key = { pk: "JOB#1", sk: "JOB" };
const byHttpApi = await eventOf(getHealth, {});
const ofHttp = { httpMethod: "GET", path: "/api/v1/health", headers: {}, body: null, isBase64Encoded: false };
const ofSchedule = { version: "0", "detail-type": "Scheduled Event", source: "aws.scheduler", detail: "{}" };

/** Events by the front door or the service that sends them. */
const events = {
  "the HTTP API": byHttpApi,
  "a REST API": { ...ofHttp, resource: "/{proxy+}", requestContext: { requestId: "r", stage: "prod" } },
  "an HTTP API with payload 1.0": { ...ofHttp, version: "1.0", resource: "/", requestContext: { requestId: "r" } },
  "a load balancer": { ...ofHttp, requestContext: { elb: { targetGroupArn: "arn" } }, queryStringParameters: {} },
  "a VPC Lattice": { version: "2.0", path: "/", method: "GET", headers: {}, requestContext: { region: "eu-west-2" } },
  "an HTTP API without headers": { ...byHttpApi, headers: null },
  "a web socket": { requestContext: { requestId: "r", connectionId: "c", eventType: "MESSAGE" }, body: "{}" },
  "a schedule": ofSchedule,
  "a rule": { ...ofSchedule, source: "aws.events" },
  "another event of a bus": { ...ofSchedule, "detail-type": "Record", source: "rota.example" },
  "a queue": queueEvent({ any: "message" }),
  "a stream": { Records: [streamRecord(key, { after: { ...key, id: 1 } })] },
  "an empty batch": { Records: [] },
  "a topic": { Records: [{ EventSource: "aws:sns", Sns: { Message: "{}" } }] },
  "a bucket": { Records: [{ eventSource: "aws:s3", s3: {} }] },
  "a batch of two sources": { Records: [...queueEvent({}).Records, { eventSource: "aws:s3" }] },
  "records that are none": { Records: [null] },
  "the console's test": { key1: "value1", key2: "value2", key3: "value3" },
  nobody: {},
  "a call without payload": null,
  "a call with text": "warm up",
};

type Sender = keyof typeof events;
const senders = Object.keys(events) as Sender[];

/** The sentence of a function about what it expects, and the senders of that. */
interface Expected {
  readonly sentence: string;
  readonly from: readonly Sender[];
}

const byRequest: Expected = {
  sentence: "expects an event of API Gateway's HTTP API, payload 2.0",
  from: ["the HTTP API"],
};
const byQueue: Expected = { sentence: "expects Records of aws:sqs", from: ["a queue"] };
const byStream: Expected = { sentence: "expects Records of aws:dynamodb", from: ["a stream"] };
const bySchedule: Expected = {
  sentence: "expects the event of a schedule, or an empty one",
  from: ["a schedule", "a rule", "nobody", "a call without payload"],
};

const ofQueues = new Set<string>(Object.values(queues).map(({ worker }) => worker));

function expectedBy(name: string, area: string): Expected {
  if (area !== "workers") return byRequest;
  if (ofQueues.has(name)) return byQueue;
  const row = functions[name as keyof typeof functions] as { readonly readsStream?: true };
  return row.readsStream ? byStream : bySchedule;
}

describe.each(files)("%s", (file) => {
  const [, area = "", name = ""] = /^functions\/(.+)\/(.+)\.ts$/.exec(file) ?? [];
  const { sentence, from } = expectedBy(name, area);

  test(`ends in one sentence for an event of another kind: ${sentence}`, async () => {
    const { handler } = await import(`../../functions/${area}/${name}.ts`);
    for (const sender of senders.filter((each) => !from.includes(each))) {
      const ending = await Promise.resolve()
        .then(() => handler(events[sender], context))
        .then(
          (answer: unknown) => `answers ${JSON.stringify(answer)}`,
          (error: Error) => `${error.name}: ${error.message}`,
        );
      expect(ending, sender).toMatch(new RegExp(`^Error: [\\w-]+ ${sentence.replaceAll(".", "\\.")}$`));
    }
  });
});

test("an HTTP API is what a function URL is, too", async () => {
  const { handler } = await import("../../functions/service/get-health.ts");
  const { requestContext, ...event } = byHttpApi;
  const ofUrl = { ...requestContext, domainName: "x.lambda-url.eu-west-2.on.aws", routeKey: "$default" };
  expect((await handler({ ...event, routeKey: "$default", requestContext: ofUrl }, context)).statusCode).toBe(200);
});
