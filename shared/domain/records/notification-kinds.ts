import type { Role } from "../../contract/operation.ts";

/** A rule for recipients: a company's users in a role, the user of a driver's profile, or users by id. */
export type Recipients =
  | { readonly company: number; readonly role: Role }
  | { readonly profile: number }
  | { readonly users: number[] };

/** The facts that determine the recipients, by the type of the changed record. */
interface Facts {
  readonly Job: { readonly company: number };
  readonly Timesheet: { readonly profile: number };
  readonly Invoice: { readonly company: number };
  readonly User: { readonly user: number };
  /** Another system's type, whose events name their recipients. */
  readonly Chat: undefined;
}

/** A kind of notification (D25, D26). The texts of its push are in the catalogues of shared/messaging. */
interface NotificationKind<F> {
  readonly recipients: (facts: F) => readonly Recipients[];
}

/** A type of record with notifications. */
interface NotifyingRecordType<F> {
  /** The unread count of its notifications, besides the total; null if it has none. */
  readonly countedAs: "timesheets" | "jobs" | "chats" | null;
  /** By `params.type`. */
  readonly kinds: Readonly<Record<string, NotificationKind<F>>>;
}

const operators = ({ company }: Facts["Job"]) => [{ company, role: "operator" } as const];
const operatorsAndClients = ({ company }: Facts["Invoice"]) => [
  { company, role: "operator" } as const,
  { company, role: "client" } as const,
];
const driver = ({ profile }: Facts["Timesheet"]) => [{ profile }];
const self = ({ user }: Facts["User"]) => [{ users: [user] }];
const named = () => [];

/** The kinds of notifications by `record_type`. */
export const notifyingRecordTypes = {
  Job: { countedAs: "jobs", kinds: { published: { recipients: operators } } },
  Timesheet: {
    countedAs: "timesheets",
    kinds: {
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
    kinds: { password_changed: { recipients: self } },
  },
  Chat: { countedAs: "chats", kinds: { message: { recipients: named } } },
} as const satisfies { readonly [T in keyof Facts]: NotifyingRecordType<Facts[T]> };

const byRecordType = new Map<string, NotifyingRecordType<never>>(Object.entries(notifyingRecordTypes));

/** The unread count for notifications of a record type, for every kind; null if it has none (D26). */
export function countOfRecordType(recordType: string): NotifyingRecordType<never>["countedAs"] {
  return byRecordType.get(recordType)?.countedAs ?? null;
}
