import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { queueMessage, queueMessages } from "../../shared/messages/queue.ts";
import { carryOut, sentSoFar } from "../../shared/run/log.ts";
import { useNetwork } from "../support/faults/network.ts";
import { anyText, fc } from "../support/service/properties.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";

useService();
const network = useNetwork();

const queueUrl = () => process.env.NOTICE_QUEUE_URL ?? "";
const awkward = [
  "\uffff",
  "\ufffe",
  "\ufdd0",
  "\u{1ffff}",
  "\ud800",
  "\udfff x",
  "😀",
  "e\u0301".repeat(400),
  "\u007f\u0080",
];

test("every character arrives, those that SQS refuses as well", async () => {
  for (const text of awkward) await queueMessage(queueUrl(), { text });
  expect(await takeMessages("NOTICE_QUEUE_URL")).toEqual(awkward.map((text) => ({ text })));
  await queueMessages(
    queueUrl(),
    awkward.map((text) => ({ text })),
  );
  expect(new Set((await takeMessages("NOTICE_QUEUE_URL")) as { text: string }[])).toEqual(
    new Set(awkward.map((text) => ({ text }))),
  );
});

test("messages go together up to 250,000 bytes", async () => {
  const messageOf = (bytes: number) => ({ text: "x".repeat(bytes - '{"text":""}'.length) });
  for (const [bytes, calls] of [
    [125_000, 1],
    [125_001, 2],
  ] as const) {
    network.reset();
    await queueMessages(queueUrl(), [messageOf(125_000), messageOf(bytes)]);
    expect(network.calls.get("SendMessageBatch")).toBe(calls);
    expect(await takeMessages("NOTICE_QUEUE_URL")).toHaveLength(2);
  }
});

test("what the queue has taken is counted, and nothing that it refuses", async () => {
  const refusing = (SenderFault: boolean) => ({
    status: 200,
    body: { Failed: [{ Id: "1", Code: "no", SenderFault }] },
  });
  const failed = { status: 400, body: { __type: "com.amazonaws.sqs#QueueDoesNotExist" } };
  const send = () => queueMessages(queueUrl(), [{ text: "a" }, { text: "b" }, { text: "c" }]);
  await carryOut({ operation: "test" }, async () => {
    network.fail("SendMessage", failed, 1);
    await expect(queueMessage(queueUrl(), { text: "a" })).rejects.toThrow();
    network.fail("SendMessageBatch", refusing(true), 1);
    await expect(send()).rejects.toThrow("does not take such a message");
    expect(sentSoFar()).toEqual({});
    network.fail("SendMessageBatch", refusing(false), 1);
    await send();
    expect(sentSoFar()).toEqual({ queued: 3 });
  });
  expect(await takeMessages("NOTICE_QUEUE_URL")).toEqual([{ text: "b" }]);
});

test("a message is queued in printable ASCII, whatever it says", async () => {
  await fc.assert(
    fc.asyncProperty(anyText({ maxLength: 40 }), async (text) => {
      await queueMessage(queueUrl(), { text });
      const command = new ReceiveMessageCommand({ QueueUrl: queueUrl(), VisibilityTimeout: 0 });
      const { Messages: [message] = [] } = await new SQSClient({}).send(command);
      expect(message?.Body).toMatch(/^[\x20-\x7e]+$/);
      expect(await takeMessages("NOTICE_QUEUE_URL")).toEqual([{ text }]);
    }),
    { numRuns: 25 },
  );
});
