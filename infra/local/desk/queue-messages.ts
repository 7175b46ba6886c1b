import type { SQSEvent } from "aws-lambda";
import { parseJson } from "../json-text.ts";
import { clip, maskBody, maskText } from "./mask.ts";
import type { QueueMessage } from "./views.ts";

/** A message that a worker was called with, as the history keeps it. */
export interface PastMessage extends QueueMessage {
  /** The request that the message names, or else its own id. */
  requestId: string;
  /** The type of the event, and its source. */
  title: string;
}

const mostOfTitle = 200;

/** The messages of a queue's event, without their secrets; none for any other event. */
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

/** The request and title of a message. Other systems may send any text. */
function readFacts(body: string, messageId: string): Pick<PastMessage, "requestId" | "title"> {
  const { requestId, "detail-type": type, source } = (parseJson(body) ?? {}) as Record<string, unknown>;
  return {
    requestId: typeof requestId === "string" ? requestId : messageId,
    title: typeof type === "string" ? clip(maskText(`${type} from ${source}`), mostOfTitle) : "message",
  };
}
