import type { ServiceFunctionName } from "./worker-rows.ts";

const usualRetentionHours = 4 * 24;

/** What SQS takes as the most calls of a worker; Lambda would throttle those above what is reserved. */
export const fewestWorkerCalls = 2;

/** The queues of the workers, by the name of what waits in them. */
export type QueueName = "pins" | "notices" | "notifications" | "pushes" | "intake" | "events";

/** Something for each queue; for that of events only where the stage sends any. */
export type ByQueue<T> = Readonly<Record<Exclude<QueueName, "events">, T> & { events?: T }>;

/** A queue and its consumer. */
export interface QueueRow {
  /** The function that consumes the queue. */
  readonly worker: ServiceFunctionName;
  /** How long a message may wait for its worker. */
  readonly retentionHours: number;
  /** Most calls of the worker at once. Without it Lambda adds some until the account has no concurrency left for the API. */
  readonly mostCalls: number;
  /** How often a message is tried before it goes to the dead letters; 5 where a row says nothing. */
  readonly tries?: number;
}

/** Every queue, its consumer, and how long a message is worth keeping. */
export const queues: Readonly<Record<QueueName, QueueRow>> = {
  // A pin is worth nothing after ten minutes.
  pins: { worker: "deliver-pin", retentionHours: 1, mostCalls: 10 },
  notices: { worker: "notify-password-changed", retentionHours: usualRetentionHours, mostCalls: 5 },
  notifications: { worker: "deliver-notifications", retentionHours: usualRetentionHours, mostCalls: 20 },
  // Nobody is to be woken by the news of yesterday.
  pushes: { worker: "send-pushes", retentionHours: 24, mostCalls: 20 },
  intake: { worker: "intake", retentionHours: usualRetentionHours, mostCalls: 10 },
  // A bus that is down for a day loses nothing, and nobody has to send anything again: a try every two minutes.
  events: { worker: "send-events", retentionHours: usualRetentionHours, mostCalls: 5, tries: 720 },
};
