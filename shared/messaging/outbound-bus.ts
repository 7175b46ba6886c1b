import { PutEventsCommand, type PutEventsResultEntry } from "@aws-sdk/client-eventbridge";
import type * as v from "valibot";
import { jitter, sleep } from "../backoff.ts";
import { Refusal } from "../domain/refusal.ts";
import { log } from "../logger.ts";
import { settings } from "../settings.ts";
import { noteSent } from "../work.ts";
import { busClient } from "./clients.ts";
import type { eventsMessage } from "./event-queue.ts";

type Events = v.InferOutput<typeof eventsMessage>["events"];

const maxAttempts = 4;
const firstPauseMs = 50;
const longestPauseMs = 400;

/**
 * Puts the events of a message on the outbound bus (D42). Those that the bus refuses in an answer that is otherwise a success are
 * put again, and only those; as `busy` where it keeps refusing some: then the message comes again, and all of them go out again
 * with the same ids.
 */
export async function putEvents(events: Events): Promise<void> {
  let open = events;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (attempt > 0) await sleep(jitter(attempt, firstPauseMs, longestPauseMs));
    const { Entries = [] } = await busClient().send(new PutEventsCommand({ Entries: open.map(entryOf) }));
    const refused = open.filter((_, at) => isRefused(Entries[at]));
    noteSent("events", open.length - refused.length);
    if (refused.length === 0) return;
    log("warn", "events refused", { events: refused.length, code: Entries.find(isRefused)?.ErrorCode });
    open = refused;
  }
  throw new Refusal("busy", "The bus does not accept events now; try again later");
}

/** Success is the id that the bus gives; an answer that says nothing of an event is none. */
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
