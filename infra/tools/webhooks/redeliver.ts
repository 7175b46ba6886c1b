import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { inParallel } from "../../../shared/batches.ts";
import { webhookMessage } from "../../../shared/messaging/webhook-queue.ts";
import { countMessages } from "../../local/aws/sqs.ts";
import { parseJson } from "../../local/json-text.ts";

/** Longer than a run takes, so that visited letters stay hidden from it. */
const hiddenSeconds = 15 * 60;
/** With a wait, SQS asks all of its servers for letters. */
const usualWaitSeconds = 1;
/** Each takes ten letters at a time. */
const receiversAtOnce = 8;
/** Margin for dead letters that arrive during the run, or that the count at its start missed. */
const marginShare = 0.1;
/** The least margin, for queues with few letters. */
const marginCount = 100;

/** The addresses of a webhook's queues. */
export interface QueueUrls {
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
}

interface RedeliveryOptions {
  readonly eventId?: string | undefined;
  /** Seconds that SQS waits before it reports no letters. Without a wait it may miss some. */
  readonly waitSeconds?: number;
  /** Called at the start with the text that says how far the run is. */
  readonly onProgress?: (text: () => string) => void;
}

/**
 * Moves dead letters of a webhook back into its queue: those of one event, or all. Returns how many it visited and moved. The run
 * visits each letter once and moves each event once, so it ends even if a receiver refuses all of them again. Remaining
 * letters become visible at its end. A letter is queued before it is deleted. If the run breaks off between, the event is
 * delivered twice with the same id.
 *
 * SQS's own move of messages (StartMessageMoveTask) is not used: it takes neither a number of letters to end at nor an event, so
 * it would move copies of an event and letters that come back meanwhile, and the local machine's SQS does not have it.
 */
export async function redeliver(
  client: SQSClient,
  { queueUrl, deadLettersUrl: QueueUrl }: QueueUrls,
  { eventId, waitSeconds = usualWaitSeconds, onProgress }: RedeliveryOptions,
) {
  const { waiting } = await countMessages(client, QueueUrl);
  const mostVisits = Math.ceil(waiting * (1 + marginShare)) + marginCount;
  const held: string[] = [];
  const moved = new Set<string>();
  let visited = 0;
  onProgress?.(() => `${visited} of about ${waiting} dead letters visited, ${moved.size} on their way`);

  const visit = async ({ Body = "", ReceiptHandle = "" }: Message) => {
    const id = eventIdIn(Body);
    if (id === undefined || (eventId ?? id) !== id || moved.has(id)) {
      held.push(ReceiptHandle);
      return;
    }
    moved.add(id);
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: Body }));
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  };
  const request = {
    QueueUrl,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: hiddenSeconds,
    WaitTimeSeconds: waitSeconds,
  };
  /** Visits letters until none is visible, the event is found, or the count at the start is reached. */
  const receive = async () => {
    while (visited < mostVisits && !(eventId !== undefined && moved.size > 0)) {
      const { Messages = [] } = await client.send(new ReceiveMessageCommand(request));
      if (Messages.length === 0) return;
      visited += Messages.length;
      await Promise.all(Messages.map(visit));
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: receiversAtOnce }, receive));
  await inParallel(held, receiversAtOnce, async (ReceiptHandle) => {
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
  });
  for (const each of outcomes) if (each.status === "rejected") throw each.reason;
  return { visited, moved: moved.size };
}

function eventIdIn(body: string): string | undefined {
  const read = v.safeParse(webhookMessage, parseJson(body));
  return read.success ? read.output.detail.id : undefined;
}
