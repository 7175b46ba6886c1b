import { callLimits } from "../call-limits.ts";
import type { WebhookReceiver } from "../settings.ts";
import { type Answer, PostError, type PostFault, type PostOptions, post } from "./post.ts";
import { signatureHeaders } from "./signature.ts";
import { readWebhookKeys, signingSecrets } from "./webhook-secrets.ts";

/** The status by which a receiver refuses all future events. */
const gone = 410;

/** The result of an attempt to deliver an event. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** True if the receiver refuses all future events. */
  readonly isGone: boolean;
  readonly retryAfter: string | undefined;
  /** The receiver's status, or the reason why there is none. Nothing else of its answer is kept. */
  readonly result: { readonly status: number } | { readonly code: PostFault };
}

/**
 * Sends an event to a webhook's receiver in the structured mode of CloudEvents, signed with the current time by the rules
 * of Standard Webhooks. Any status from 200 to 299 means delivered. Throws if the keys cannot be read. `way` is for receivers on a developer's
 * computer.
 */
export async function attemptDelivery(
  { name, url, contentType = "cloudevents+json" }: WebhookReceiver,
  event: { readonly id: string },
  now: Date,
  way: Pick<PostOptions, "resolve" | "request"> = {},
): Promise<Attempt> {
  const keys = await readWebhookKeys();
  const body = Buffer.from(JSON.stringify(event));
  const signature = signatureHeaders({ id: event.id, sentAt: now, body }, signingSecrets(keys, name, now));
  const headers = { "content-type": `application/${contentType}`, "user-agent": "workforce-webhooks", ...signature };
  try {
    const limitMs = callLimits.webhook.attemptMs;
    return readAnswer(await post({ url: new URL(url), headers, body }, { ...way, limitMs }));
  } catch (error) {
    if (!(error instanceof PostError)) throw error;
    return { isDelivered: false, isGone: false, retryAfter: undefined, result: { code: error.code } };
  }
}

function readAnswer({ status, retryAfter }: Answer): Attempt {
  return { isDelivered: status >= 200 && status < 300, isGone: status === gone, retryAfter, result: { status } };
}
