import { DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { vi } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import type { OperationName } from "../../shared/contract/operations.ts";
import { recordMinting } from "../../shared/db/accounts/minted-tokens.ts";
import { acquireRun, type IdempotentRequest, keepAnswer } from "../../shared/db/idempotency.ts";
import { acquirePushLease } from "../../shared/db/notifications/pushes.ts";
import { keepPlace, markComplete } from "../../shared/db/table/migrations.ts";
import { keepFailure } from "../../shared/db/webhooks.ts";
import { writeRecord } from "../../shared/db/write-record.ts";
import { parseRecordLine } from "../../shared/domain/records/record-line.ts";
import type { HttpHandler } from "../../shared/http/endpoint.ts";
import { hmacKey } from "../../shared/secrets.ts";
import { carryOutCommand } from "../../shared/work.ts";
import { openTestSession } from "../support/records/sessions.ts";
import { call } from "../support/requests/call.ts";
import { endpoints } from "../support/requests/every-operation.ts";
import { newestPin } from "../support/requests/pins.ts";
import type { Service } from "../support/service/service.ts";
import { testKeyId } from "../support/tokens/tokens.ts";
import { takeMessages } from "../support/workers/queues.ts";
import type { KeyedRequest, MarshalledItem, Queue, Release } from "./release.ts";

const queueSettings: Record<Queue, string> = {
  pins: "PIN_QUEUE_URL",
  notices: "NOTICE_QUEUE_URL",
  notifications: "NOTIFICATION_QUEUE_URL",
  pushes: "PUSH_QUEUE_URL",
  quarantine: "QUARANTINE_QUEUE_URL",
};

/** Gives the handler of an operation or worker. */
type LoadHandler = (name: string) => unknown;

/** The code of this tree as a release, on the table of a test file; `load` gives the handlers of another build of it. */
export function thisRelease(service: Service, load: LoadHandler = loadHandler): Release {
  return {
    setClock: (moment) => void vi.useFakeTimers({ now: moment, toFake: ["Date"] }),
    async call(name, sent) {
      const endpoint = endpoints.find((each) => each.name === name);
      if (!endpoint) throw new Error(`There is no operation ${name}`);
      if (["register-device-token", "export-own-data"].includes(name) && sent.as) await openTestSession(sent.as.id);
      return call((await load(name)) as HttpHandler, endpoint.operation, sent);
    },
    work: async (worker, event = {}) => work(worker, (await load(worker)) as Worker, event),
    async importLine(line) {
      const write = () => writeRecord(parseRecordLine(line, "GB"), { now: new Date(), hmacKey });
      await carryOutCommand({ operation: "import" }, (runId) => `import#${runId}`, write);
    },
    takeMessages: (queue) => takeMessages(queueSettings[queue]),
    newestPin: (to) => newestPin(service.inbox, to),
    readItems: () => readItems(service),
    async abandonPush(userId, notificationId) {
      await acquirePushLease(userId, notificationId, new Date());
    },
    async abandonMigration() {
      await keepPlace("user@3", { cursor: { pk: "USER#3", sk: "USER" }, missed: 1 });
      await markComplete("users-by-name", new Date());
    },
    async disableWebhook() {
      const moment = new Date().toISOString();
      const health = { failing_since: moment, failed_at: moment, idle_ms: 1, gone_since: moment, disabled_at: moment };
      const webhook = { name: "erp", url: "https://erp.example/events" };
      await keepFailure(webhook, { health: undefined, stored: undefined }, health);
    },
    abandonRun: async (request) => (await openRun(request)).token,
    async keepInPieces(request, answer) {
      await keepAnswer(await openRun(request), answer, { pieceBytes: 1_000 });
    },
    recordToken: () =>
      recordMinting({
        jti: crypto.randomUUID(),
        madeBy: "arn:aws:iam::000000000000:user/ada",
        user: { id: 2, role: "operator" },
        madeAt: new Date(),
        validTo: new Date(Date.now() + 900_000),
      }),
    async readSecrets() {
      return { hmac: await readSecret("HMAC_SECRET_ARN"), signing: await readSecret("SIGNING_SECRET_ARN") };
    },
  };
}

type Worker = (event: object) => Promise<{ batchItemFailures: unknown[] } | undefined>;

async function work(name: string, handler: Worker, event: object): Promise<void> {
  const answer = await handler(event);
  if (answer && answer.batchItemFailures.length > 0) throw new Error(`${name} gave messages back`);
}

async function loadHandler(name: string): Promise<unknown> {
  const { area } = functions[name as OperationName];
  return (await import(`../../functions/${area}/${name}.ts`)).handler;
}

/** The request as the store takes it. */
export function fingerprinted({ userId, operation, key }: KeyedRequest): IdempotentRequest {
  return { userId, operation, key, fingerprint: key, matches: (stored) => stored === key };
}

async function openRun(request: KeyedRequest) {
  const acquired = await acquireRun(fingerprinted(request), new Date());
  if (!("run" in acquired)) throw new Error("The request has been answered");
  return acquired.run;
}

async function readItems({ tableName: TableName }: Service): Promise<MarshalledItem[]> {
  const items: MarshalledItem[] = [];
  const client = new DynamoDBClient({});
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    items.push(...(page.Items ?? []));
  }
  return items.filter(({ sk }) => sk?.S !== testKeyId);
}

async function readSecret(setting: string): Promise<unknown> {
  const { SecretString } = await new SecretsManagerClient({}).send(
    new GetSecretValueCommand({ SecretId: process.env[setting] }),
  );
  return JSON.parse(SecretString ?? "null");
}
