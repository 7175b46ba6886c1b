import type { SQSEvent } from "aws-lambda";
import { clip, maskBody, maskText, parse } from "./mask.ts";
import type { QueueMessage } from "./views.ts";

/** A message that a worker was called with, as it is remembered. */
export interface PastMessage extends QueueMessage {
  /** The request that it names; its own id where it names none. */
  requestId: string;
  /** What kind of event it is, and whose. */
  title: string;
}

const mostOfTitle = 200;

/** The messages of an event of a queue, without their secrets; none of any other event. */
export function messagesOf(event: unknown): PastMessage[] {
  const { Records = [] } = event as Partial<SQSEvent>;
  return Records.filter(({ body }) => typeof body === "string").map(
    ({ messageId, body, attributes, eventSourceARN }) => ({
      id: messageId,
      queue: eventSourceARN.split(":").at(-1) ?? "",
      attempt: Number(attributes?.ApproximateReceiveCount ?? 1),
      body: maskBody(body),
      ...readFacts(body, messageId),
    }),
  );
}

/** What a message says of itself; other systems may send any text. */
function readFacts(body: string, messageId: string): Pick<PastMessage, "requestId" | "title"> {
  const { requestId, "detail-type": type, source } = (parse(body) ?? {}) as Record<string, unknown>;
  return {
    requestId: typeof requestId === "string" ? requestId : messageId,
    title: typeof type === "string" ? clip(maskText(`${type} from ${source}`), mostOfTitle) : "message",
  };
}
