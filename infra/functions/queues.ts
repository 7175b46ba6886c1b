import type { ServiceFunctionName } from "./worker-rows.ts";

const usualRetentionHours = 4 * 24;

/** What SQS takes as the most calls of a worker; Lambda would throttle those above what is reserved. */
export const fewestWorkerCalls = 2;

/** The queues of the workers, by the name of what waits in them. */
export type QueueName = "pins" | "notices" | "notifications" | "pushes" | "intake";

/** A queue and its consumer. */
export interface QueueRow {
  /** The function that consumes the queue. */
  readonly worker: ServiceFunctionName;
  /** How long a message may wait for its worker. */
  readonly retentionHours: number;
  /** Most calls of the worker at once. Without it Lambda adds some until the account has no concurrency left for the API. */
  readonly mostCalls: number;
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
};
