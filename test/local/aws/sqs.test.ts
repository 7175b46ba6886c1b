import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { type Queues, queueUrl, startQueues } from "../../../infra/local/aws/sqs.ts";
import { readStack } from "../../../infra/local/stack/template.ts";
import { synthesizedTemplate } from "../../support/service/made-stack.ts";

const region = "eu-west-2";
const place = { region, queueEndpoint: "http://127.0.0.1:1" };
const { queues: definitions, mappings } = readStack(await synthesizedTemplate(), "/bundles", place);
const worked = mappings.map(({ queueName }) => queueName);
let queues: Queues;
let client: SQSClient;

beforeAll(async () => {
  queues = await startQueues(region);
  await queues.create(definitions);
  client = new SQSClient({ endpoint: queues.endpoint, region, credentials: localCredentials });
});

afterAll(async () => {
  client.destroy();
  await queues.close();
});

/** Receives one message, which is back at once. */
async function receive(name: string) {
  const QueueUrl = queueUrl(queues.endpoint, name);
  const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
  return Messages[0];
}

test.each(
  worked,
)("a message of the stack's queue %s is dead-lettered after as many tries as the stack says", async (name) => {
  const { RedrivePolicy = "{}" } = definitions.find((each) => each.name === name)?.attributes ?? {};
  const { deadLetterTargetArn = "", maxReceiveCount } = JSON.parse(RedrivePolicy);
  const deadLetters = deadLetterTargetArn.split(":").at(-1);
  await queues.send(name, "poison");
  for (let tries = 0; tries < maxReceiveCount; tries += 1) expect((await receive(name))?.Body).toBe("poison");
  expect(await receive(name)).toBeUndefined();
  expect((await receive(deadLetters))?.Body).toBe("poison");
  expect(maxReceiveCount).toBeGreaterThan(1);
});

test("a message that was processed is dead-lettered nowhere", async () => {
  const [name = ""] = worked;
  await queues.send(name, "good");
  const ReceiptHandle = (await receive(name))?.ReceiptHandle;
  await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl(queues.endpoint, name), ReceiptHandle }));
  expect(await receive(name)).toBeUndefined();
});
