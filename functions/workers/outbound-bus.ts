import { PutEventsCommand, type PutEventsResultEntry } from "@aws-sdk/client-eventbridge";
import type * as v from "valibot";
import type { eventsMessage } from "../../shared/messages/event-queue.ts";
import { untilTaken } from "../../shared/messages/queue.ts";
import { busClient } from "../../shared/messages/send.ts";
import { log } from "../../shared/run/log.ts";
import { settings } from "../../shared/run/settings.ts";

type Events = v.InferOutput<typeof eventsMessage>["events"];

/**
 * Puts the events of a message on the outbound bus (D42). Repeats only events that the bus refused in a partial
 * success. Throws `busy` if it keeps refusing some: the message is then retried, and all its events are sent again with
 * the same ids.
 */
export function putEvents(events: Events): Promise<void> {
  return untilTaken("events", events, async (open) => {
    const { Entries = [] } = await busClient().send(new PutEventsCommand({ Entries: open.map(entryOf) }));
    const refused = open.filter((_, at) => isRefused(Entries[at]));
    const code = Entries.find(isRefused)?.ErrorCode;
    if (refused.length > 0) log("warn", "events refused", { events: refused.length, code });
    return refused;
  });
}

/** A successful event has an id in the answer. Anything else counts as refused. */
function isRefused(entry: PutEventsResultEntry | undefined): boolean {
  return entry?.EventId === undefined;
}

function entryOf(event: Events[number]) {
  return {
    EventBusName: settings.outboundBusName(),
    Source: event.source,
    DetailType: event.type,
    Time: new Date(event.time),
    Detail: JSON.stringify(event),
  };
}
