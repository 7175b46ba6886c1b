import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { SQSEvent, SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import { settings, type WebhookSetting } from "../../../shared/settings.ts";
import type * as posting from "../../../shared/webhooks/post.ts";

type Module = typeof posting;

/** A message as a webhook's receiver got it. */
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The receiver of a test file: what it got, and what it answers. */
export const receiver = {
  port: 0,
  status: 200,
  headers: {} as Readonly<Record<string, string>>,
  got: [] as Received[],
};

/** Gives a test file a receiver on this computer, which gets what is posted by `toReceiver`, and answers 200. */
export function useReceiver(): void {
  const server = createServer(async (asked, response) => {
    receiver.got.push({ headers: asked.headers, body: Buffer.concat(await asked.toArray()) });
    response.writeHead(receiver.status, receiver.headers).end();
  });
  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    receiver.port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => void Object.assign(receiver, { status: 200, headers: {}, got: [] }));
  afterAll(() => void server.close());
}

/** The module that posts, which leads every host to the receiver: for `vi.mock`. */
export function toReceiver(module: Module): Module {
  const resolve = async () => "127.0.0.1";
  return {
    ...module,
    post: ({ url, ...sent }, options) => {
      const local = new URL(`http://${url.hostname}:${receiver.port}${url.pathname}`);
      return module.post({ ...sent, url: local }, { ...options, resolve, request });
    },
  };
}

/** The webhook of the tests' stage. */
export function testWebhook(): WebhookSetting {
  const [webhook] = settings.webhooks();
  if (!webhook) throw new Error("The tests' stage has no webhook");
  return webhook;
}

/** The arrival of a message, as far as it differs from the first second of its first try. */
interface Coming {
  readonly received?: number;
  readonly queuedAt?: Date;
  readonly receipt?: string;
}

/** The message that EventBridge puts into a queue for an event on the outbound bus. */
export function onBus(event: OutboundEvent): object {
  const { type, source, time } = event;
  return { version: "0", id: crypto.randomUUID(), "detail-type": type, source, time, resources: [], detail: event };
}

/** A batch with one message of the webhook's queue. */
export function webhookBatch(message: object, { received = 1, queuedAt, receipt = "made-up" }: Coming = {}): SQSEvent {
  const attributes = {
    ApproximateReceiveCount: String(received),
    SentTimestamp: String((queuedAt ?? new Date()).getTime()),
  };
  const record = {
    messageId: "message-0",
    eventSource: "aws:sqs",
    receiptHandle: receipt,
    eventSourceARN: `arn:aws:sqs:eu-west-1:000000000000:${testWebhook().queue}`,
    body: JSON.stringify(message),
    attributes,
  };
  return { Records: [record as SQSRecord] };
}
