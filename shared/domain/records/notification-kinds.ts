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

/** A kind of notification (D25, D26, D29). */
interface NotificationKind<F> {
  readonly recipients: (facts: F) => readonly Recipients[];
  /** What a push says. */
  readonly sentence: string;
  /** The unread count that it adds to, beside that of all; null where there is none. */
  readonly countedAs: "timesheets" | "jobs" | "chats" | null;
}

const operators = ({ company }: Facts["Job"]) => [{ company, role: "operator" } as const];
const operatorsAndClients = ({ company }: Facts["Invoice"]) => [
  { company, role: "operator" } as const,
  { company, role: "client" } as const,
];
const driver = ({ profile }: Facts["Timesheet"]) => [{ profile }];
const self = ({ user }: Facts["User"]) => [{ users: [user] }];
const named = () => [];

/** Every kind of notification, by `record_type` and `params.type`. */
export const notificationKinds = {
  Job: { published: { recipients: operators, sentence: "A job was published", countedAs: "jobs" } },
  Timesheet: {
    paid: { recipients: driver, sentence: "A timesheet was paid", countedAs: "timesheets" },
    pending: { recipients: driver, sentence: "A timesheet is pending again", countedAs: "timesheets" },
  },
  Invoice: {
    issued: { recipients: operatorsAndClients, sentence: "An invoice was issued", countedAs: null },
    overdue: { recipients: operatorsAndClients, sentence: "An invoice is overdue", countedAs: null },
    paid: { recipients: operatorsAndClients, sentence: "An invoice was paid", countedAs: null },
  },
  User: { password_changed: { recipients: self, sentence: "Your password was changed", countedAs: null } },
  Chat: { message: { recipients: named, sentence: "You have a new message", countedAs: "chats" } },
} as const satisfies { readonly [T in keyof Facts]: Readonly<Record<string, NotificationKind<Facts[T]>>> };

type AnyKind = Pick<NotificationKind<never>, "sentence" | "countedAs">;

/** The sentence of a kind; undefined for one that only another system knows. */
export function sentenceOfKind(recordType: string, type: string): string | undefined {
  return kindsOf(recordType).get(type)?.sentence;
}

/** The unread count that notifications of a record type add to, whatever happened; null where there is none. */
export function countOfRecordType(recordType: string): AnyKind["countedAs"] {
  const [kind] = kindsOf(recordType).values();
  return kind?.countedAs ?? null;
}

const kindsByRecordType = new Map<string, ReadonlyMap<string, AnyKind>>(
  Object.entries(notificationKinds).map(([recordType, kinds]) => [recordType, new Map(Object.entries(kinds))]),
);

function kindsOf(recordType: string): ReadonlyMap<string, AnyKind> {
  return kindsByRecordType.get(recordType) ?? new Map();
}
