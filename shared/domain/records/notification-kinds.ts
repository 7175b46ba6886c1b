import type { Role } from "../../contract/operation.ts";

/** A rule that says who is concerned: a company's users in a role, the user of a driver's profile, or users by id. */
export type Recipients =
  | { readonly company: number; readonly role: Role }
  | { readonly profile: number }
  | { readonly users: number[] };

/** What decides who is concerned, by the type of the record that changed. */
interface Facts {
  readonly Job: { readonly company: number };
  readonly Timesheet: { readonly profile: number };
  readonly Invoice: { readonly company: number };
  readonly User: { readonly user: number };
  /** Another system's: its event names the recipients. */
  readonly Chat: undefined;
}

/** A kind of notification (D25, D26); what its push says is in the catalogues of shared/messaging. */
interface NotificationKind<F> {
  readonly recipients: (facts: F) => readonly Recipients[];
}

/** A type of record that notifications are about. */
interface NotifyingRecordType<F> {
  /** The unread count that its notifications add to, beside that of all; null where there is none. */
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

/** What users are notified of, by `record_type`. */
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

/** The unread count that notifications of a record type add to, whatever happened; null where there is none (D26). */
export function countOfRecordType(recordType: string): NotifyingRecordType<never>["countedAs"] {
  return byRecordType.get(recordType)?.countedAs ?? null;
}
