import * as v from "valibot";
import { type OutboundEvent, outboundEnvelope } from "../contract/outbound-events.ts";
import { chunksOf } from "../run/batches.ts";
import { queueMessages, requestIdField } from "./queue.ts";

/** Most events in a message, because one call puts them all on the bus. */
export const mostEvents = 10;

/** Events on their way to the outbound bus. They were checked before queueing and are passed on unchanged. */
export const eventsMessage = v.object({
  events: v.pipe(
    v.array(v.looseObject({ source: outboundEnvelope.entries.source, type: v.string(), time: v.string() })),
    v.minLength(1),
    v.maxLength(mostEvents),
  ),
  requestId: requestIdField,
});

/** An event, and the request that led to it. */
export interface QueuedEvent {
  readonly event: OutboundEvent;
  readonly requestId?: string | undefined;
}

/** Queues events (D42), those of one request together. Fails unless all are queued. */
export function queueEvents(queueUrl: string, queued: readonly QueuedEvent[]): Promise<void> {
  const byRequest = Map.groupBy(queued, ({ requestId }) => requestId);
  const messages = [...byRequest].flatMap(([requestId, own]) =>
    chunksOf(own, mostEvents).map((some) => ({ events: some.map(({ event }) => event), requestId })),
  );
  return queueMessages(queueUrl, messages);
}
