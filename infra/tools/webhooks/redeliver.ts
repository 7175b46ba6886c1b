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
import type { QueueUrls } from "./webhook-queues.ts";

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

/** The letters to deliver again: the event with this id, or all. */
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
  urls: QueueUrls,
  { eventId, waitSeconds = usualWaitSeconds, onProgress }: RedeliveryOptions,
) {
  const { waiting } = await countMessages(client, urls.deadLettersUrl);
  const run = new Run(client, urls, eventId, Math.ceil(waiting * (1 + marginShare)) + marginCount);
  onProgress?.(() => `${run.visited} of about ${waiting} dead letters visited, ${run.moved.size} on their way`);
  const receivers = Array.from({ length: receiversAtOnce }, () => run.receive(waitSeconds));
  const outcomes = await Promise.allSettled(receivers);
  await run.release();
  for (const each of outcomes) if (each.status === "rejected") throw each.reason;
  return { visited: run.visited, moved: run.moved.size };
}

class Run {
  readonly #client: SQSClient;
  readonly #urls: QueueUrls;
  readonly #eventId: string | undefined;
  readonly #mostVisits: number;
  readonly #held: string[] = [];
  readonly moved = new Set<string>();
  visited = 0;

  constructor(client: SQSClient, urls: QueueUrls, eventId: string | undefined, mostVisits: number) {
    this.#client = client;
    this.#urls = urls;
    this.#eventId = eventId;
    this.#mostVisits = mostVisits;
  }

  /** Visits letters until none is visible, the event is found, or the count at the start is reached. */
  async receive(WaitTimeSeconds: number): Promise<void> {
    while (this.visited < this.#mostVisits && !(this.#eventId !== undefined && this.moved.size > 0)) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#urls.deadLettersUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: hiddenSeconds,
          WaitTimeSeconds,
        }),
      );
      if (Messages.length === 0) return;
      this.visited += Messages.length;
      await Promise.all(Messages.map((message) => this.#visit(message)));
    }
  }

  async #visit({ Body = "", ReceiptHandle = "" }: Message): Promise<void> {
    const id = eventIdIn(Body);
    const isWanted = id !== undefined && (this.#eventId ?? id) === id && !this.moved.has(id);
    if (!isWanted) {
      this.#held.push(ReceiptHandle);
      return;
    }
    this.moved.add(id);
    await this.#client.send(new SendMessageCommand({ QueueUrl: this.#urls.queueUrl, MessageBody: Body }));
    await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#urls.deadLettersUrl, ReceiptHandle }));
  }

  /** Makes the remaining letters visible again. */
  async release(): Promise<void> {
    const { deadLettersUrl: QueueUrl } = this.#urls;
    await inParallel(this.#held, receiversAtOnce, async (ReceiptHandle) => {
      await this.#client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
    });
  }
}

/** The id of the event in a dead letter; undefined for an invalid one, which would fail again. */
function eventIdIn(body: string): string | undefined {
  const read = v.safeParse(webhookMessage, parseJson(body));
  return read.success ? read.output.detail.id : undefined;
}
