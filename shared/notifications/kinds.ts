import type { NotificationRecordType, NotificationType } from "../contract/notifications.ts";
import type { Role } from "../contract/operation.ts";

/** A rule for recipients: a company's users in a role, or the first `most` of them by id; the user of a driver's profile; or users by id. */
export type Recipients =
  | { readonly company: number; readonly role: Role; readonly most?: number }
  | { readonly profile: number }
  | { readonly users: number[] };

/** The facts that determine the recipients, by the type of the changed record. Each type of the contract has some. */
interface Facts {
  readonly Job: { readonly company: number };
  readonly Timesheet: { readonly company: number; readonly profile: number };
  readonly Invoice: { readonly company: number };
  readonly User: { readonly user: number };
  /** Another system's type, whose events name their recipients. */
  readonly Chat: undefined;
}

/** A kind of notification (D25, D26). `words.ts` has its texts. */
interface NotificationKind<F> {
  readonly recipients: (facts: F) => readonly Recipients[];
  /** True if it is a row of the list and a count alone: no device shows it (D29). */
  readonly isInAppOnly?: true;
  /** True if its user also gets a mail and an SMS (D14, D46). The document says so; `readNotice` finds what is sent. */
  readonly sendsNotice?: true;
}

/** A type of record with notifications. */
interface NotifyingRecordType<F> {
  /** The unread count of its notifications, besides the total; null if it has none. */
  readonly countedAs: "timesheets" | "jobs" | "chats" | null;
  /** By `params.type`. */
  readonly kinds: Readonly<Partial<Record<NotificationType, NotificationKind<F>>>>;
}

/** A timesheet comes in with many others: a unit of work for each of a large company's operators would be wasted. */
const mostNotifiedOfWork = 50;

const operators = ({ company }: Facts["Job"]) => [{ company, role: "operator" } as const];
const operatorsAndClients = ({ company }: Facts["Invoice"]) => [
  { company, role: "operator" } as const,
  { company, role: "client" } as const,
];
const firstOperators = ({ company }: Facts["Timesheet"]) => [
  { company, role: "operator", most: mostNotifiedOfWork } as const,
];
const driver = ({ profile }: Facts["Timesheet"]) => [{ profile }];
const self = ({ user }: Facts["User"]) => [{ users: [user] }];
const namedByEvent = () => [];

/** The kinds of notifications by `record_type`. */
export const notifyingRecordTypes = {
  Job: { countedAs: "jobs", kinds: { published: { recipients: operators } } },
  Timesheet: {
    countedAs: "timesheets",
    kinds: {
      submitted: { recipients: firstOperators, isInAppOnly: true },
      paid: { recipients: driver },
      pending: { recipients: driver },
    },
  },
  Invoice: {
    countedAs: null,
    kinds: {
      issued: { recipients: operatorsAndClients },
      overdue: { recipients: operatorsAndClients },
      paid: { recipients: operatorsAndClients },
    },
  },
  User: {
    countedAs: null,
    kinds: {
      api_key_created: { recipients: self, sendsNotice: true },
      password_changed: { recipients: self, sendsNotice: true },
    },
  },
  Chat: { countedAs: "chats", kinds: { message: { recipients: namedByEvent } } },
} as const satisfies { readonly [T in NotificationRecordType]: NotifyingRecordType<Facts[T]> };

const byRecordType = new Map<string, NotifyingRecordType<never>>(Object.entries(notifyingRecordTypes));

/** The unread count for notifications of a record type, for every kind; null if it has none (D26). */
export function countOfRecordType(recordType: string): NotifyingRecordType<never>["countedAs"] {
  return byRecordType.get(recordType)?.countedAs ?? null;
}

/** True if devices show notifications of a kind; those that other systems name are shown (D29). */
export function isPushed(recordType: string, type: string): boolean {
  const kinds = new Map(Object.entries<NotificationKind<never>>(byRecordType.get(recordType)?.kinds ?? {}));
  return kinds.get(type)?.isInAppOnly !== true;
}
