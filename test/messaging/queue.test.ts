import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { queueMessage, queueMessages } from "../../shared/messaging/queue.ts";
import { anyText, fc } from "../support/service/properties.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";

useService();

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
