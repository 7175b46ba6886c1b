import { pinRules } from "../../shared/people/pins.ts";
import type { QueueName } from "../../shared/run/settings.ts";
import type { ServiceFunctionName } from "./worker-rows.ts";

const usualRetentionHours = 4 * 24;
const overWeekend = "A fault of a Friday can be repaired on the Monday after.";

/** The lowest maximum concurrency that SQS accepts. Lambda would throttle calls above the reserved concurrency. */
export const fewestWorkerCalls = 2;

/** The settings of a stage that decide which queues it has. */
interface QueueSettings {
  readonly outboundEvents?: string | undefined;
}

/** A queue, its consumer and its alarms. A message is received again after six timeouts of the consumer. */
export interface QueueRow {
  /** The function that consumes the queue. */
  readonly worker: ServiceFunctionName;
  /** Whether a stage has the queue; every stage by default. */
  readonly onlyIf?: (stage: QueueSettings) => boolean;
  /** The longest time a message may wait for its worker. */
  readonly retentionHours: number;
  /** The reason for that time, and for the tries. */
  readonly kept: string;
  /**
   * Most concurrent calls of the worker. Without a limit, Lambda adds calls until the account has no concurrency left
   * for the API.
   */
  readonly mostCalls: number;
  /** The number of tries, six timeouts apart, before a message goes to the dead letters; 5 by default. */
  readonly tries?: number;
  /**
   * The person who may send dead letters again, and can therefore put any message into the queue: the role on call
   * (`operator`), if messages name what is sent and carry no text and no record of their own; the repair role, whose
   * sessions are alarmed; only an administrator; or nobody.
   */
  readonly redrive: "operator" | "repair" | "administrator" | "never";
  /** The effect on users if messages wait too long: the sentence of the alarm `<queue>-late`. */
  readonly late: string;
  /** The effect on users if messages are given up: the sentence of the alarm `<queue>-dead-letters`. */
  readonly lost: string;
  /** The queue whose two alarms are for this one as well; its own by default. */
  readonly alarmedWith?: QueueName;
  /** The age in minutes at which the oldest message is late; 15 by default. */
  readonly behindMinutes?: number;
  /** The reason for that age. */
  readonly because?: string;
  /** `page` if late messages cannot wait for the morning. */
  readonly severity?: "page";
}

/** Whether a stage sends events to other systems (D42). */
export function hasOutboundEvents({ outboundEvents = "on" }: QueueSettings): boolean {
  return outboundEvents === "on";
}

/** Every queue. Look one of a stage up with `findQueue`, because `onlyIf` may leave it out. */
export const queues: Readonly<Record<QueueName, QueueRow>> = {
  pins: {
    worker: "deliver-pin",
    retentionHours: 1,
    kept: `A pin expires after ${pinRules.lifeMinutes} minutes.`,
    mostCalls: 10,
    redrive: "never",
    late: `Pins arrive late or not at all: each counts for ${pinRules.lifeMinutes} minutes from when it was asked for.`,
    lost: "Some who asked for a pin got none, and have to ask again.",
    behindMinutes: 2,
    because: `A pin expires after ${pinRules.lifeMinutes} minutes.`,
    severity: "page",
  },
  notices: {
    worker: "notify-password-changed",
    retentionHours: usualRetentionHours,
    kept: overWeekend,
    mostCalls: 5,
    redrive: "operator",
    late: "Users learn late that their password was changed.",
    lost: "Some users were not notified that their password was changed.",
  },
  notifications: {
    worker: "deliver-notifications",
    retentionHours: usualRetentionHours,
    kept: overWeekend,
    mostCalls: 20,
    redrive: "repair",
    late: "Notifications come late.",
    lost: "Some users were not notified of something that concerns them.",
  },
  pushes: {
    worker: "send-pushes",
    retentionHours: 24,
    kept: "Yesterday's news must not wake anybody.",
    mostCalls: 20,
    redrive: "operator",
    late: "Pushes come late; notifications are in the apps all the same.",
    lost: "Some devices got no push; their notifications are in the app all the same.",
  },
  intake: {
    worker: "intake",
    retentionHours: usualRetentionHours,
    kept: overWeekend,
    mostCalls: 10,
    redrive: "repair",
    late: "What other systems change shows late.",
    lost: "A change of another system was refused: its record is out of date here.",
  },
  totals: {
    worker: "refresh-totals",
    retentionHours: 1,
    kept: "Whoever asks again sends another message.",
    mostCalls: 5,
    redrive: "never",
    late: "With many companies, admins wait for lists or are asked to repeat.",
    lost: "With many companies, admins were asked to repeat a list.",
    alarmedWith: "pushes",
  },
  // Everything in this queue goes out in the service's name, so only an administrator adds to it.
  events: {
    worker: "send-events",
    onlyIf: hasOutboundEvents,
    retentionHours: usualRetentionHours,
    kept: "A try every two minutes for a day: a bus may fail so long without a loss.",
    mostCalls: 5,
    tries: 720,
    redrive: "administrator",
    late: "Other systems learn late of what happens here; users lose nothing.",
    lost: "Other systems did not learn of something that happened here.",
  },
};
