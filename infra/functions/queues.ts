import type { ServiceFunctionName } from "./worker-rows.ts";

const usualRetentionHours = 4 * 24;

/** The lowest maximum concurrency that SQS accepts. Lambda would throttle calls above the reserved concurrency. */
export const fewestWorkerCalls = 2;

/** The queues of the workers, named after their messages. */
export type QueueName = "pins" | "notices" | "notifications" | "pushes" | "intake" | "events";

/** A value for each queue. The queue of events has one only if the stage sends events. */
export type ByQueue<T> = Readonly<Record<Exclude<QueueName, "events">, T> & { events?: T }>;

/** A queue and its consumer. */
export interface QueueRow {
  /** The function that consumes the queue. */
  readonly worker: ServiceFunctionName;
  /** The longest time a message may wait for its worker. */
  readonly retentionHours: number;
  /**
   * Most concurrent calls of the worker. Without a limit, Lambda adds calls until the account has no concurrency left
   * for the API.
   */
  readonly mostCalls: number;
  /** The number of tries before a message goes to the dead letters; 5 by default. */
  readonly tries?: number;
}

/** Every queue, with its consumer and the time after which its messages are worthless. */
export const queues: Readonly<Record<QueueName, QueueRow>> = {
  // A pin expires after twelve minutes.
  pins: { worker: "deliver-pin", retentionHours: 1, mostCalls: 10 },
  notices: { worker: "notify-password-changed", retentionHours: usualRetentionHours, mostCalls: 5 },
  notifications: { worker: "deliver-notifications", retentionHours: usualRetentionHours, mostCalls: 20 },
  // Yesterday's news must not wake anybody.
  pushes: { worker: "send-pushes", retentionHours: 24, mostCalls: 20 },
  intake: { worker: "intake", retentionHours: usualRetentionHours, mostCalls: 10 },
  // A try every two minutes for a day, so that a bus may fail for a day without any loss and without sending again by
  // hand.
  events: { worker: "send-events", retentionHours: usualRetentionHours, mostCalls: 5, tries: 720 },
};
