import { eventsMessage } from "../../shared/messages/event-queue.ts";
import { forQueue } from "../../shared/worker.ts";
import { putEvents } from "./outbound-bus.ts";

/** Puts events on the outbound bus, at least once (D42). No other function may. */
export const handler = forQueue(eventsMessage, ({ events }) => putEvents(events));
