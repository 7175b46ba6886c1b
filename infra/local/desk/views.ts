import type { Role } from "../../../shared/contract/operation.ts";
import type { LogLine } from "../../runtime/log-lines.ts";

/** The answers of the desk's server to its page. Times are milliseconds since 1970. */

/** A duration as text: seconds above one. */
export function durationOf(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds.toFixed(0)}\u00a0ms` : `${(milliseconds / 1_000).toFixed(1)}\u00a0s`;
}

export function plural(count: number, name: string): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? name : pluralOf(name)}`;
}

function pluralOf(name: string): string {
  return /(s|history)$/.test(name) ? name : name.replace(/(?<![aeiou])y$/, "ie").concat("s");
}

export interface ShownPerson {
  id: number;
  /** A login, if the user has no names. */
  name: string;
  role: Role;
  companyId: number | null;
  company: string | null;
  /** The e-mail address and phone number that the user signs in with. */
  logins: string[];
}

/** The users that a search finds, at most 100. */
export interface PeopleView {
  people: ShownPerson[];
  total: number;
}

/** The demo users, and where to begin. */
export interface StartView {
  callers: Pick<ShownPerson, "id" | "name" | "role">[];
  /** Address of the documentation, if the stack has one. */
  docs: string | null;
  demoPassword: string;
}

/** A request, or work that no request led to, such as an event of another system. */
export interface RequestRow {
  id: string;
  at: number;
  kind: "request" | "work";
  method: string;
  /** For a request path and query, secrets masked; for work what it was called with. */
  target: string;
  status: number;
  code: string | null;
  functionName: string;
  milliseconds: number;
  /** True if it, or work that followed from it, failed. */
  isBad: boolean;
  user: { id: number; name: string; login: string } | null;
}

/** Operations that change sessions alone: no story that somebody looks for. */
const signsIn: readonly string[] = ["sign-in", "refresh-token", "sign-out"];

/** The latest request or event that may have changed something. */
export function latestChange(rows: readonly RequestRow[]): RequestRow | undefined {
  return rows.find(
    ({ method, functionName, status }) =>
      !["GET", "HEAD", "schedule"].includes(method) && !signsIn.includes(functionName) && status < 400,
  );
}

/** A change of an item. It was written within the given time. */
export interface ChangeView {
  at: number;
  milliseconds: number;
  entity: string;
  /** The words that identify the item to a person; its key if it has none. */
  title: string;
  key: string;
  action: "new" | "changed" | "removed";
  fields: { name: string; before: unknown; after: unknown }[];
  /** False if the item names no request, and the change was seen while the request's work may have written it. */
  isNamed: boolean;
}

/** A call of a function. */
export interface RunView {
  at: number;
  functionName: string;
  milliseconds: number;
  error: string | null;
  lines: LogLine[];
  /** As they were received from queues. */
  messages: { id: string; queue: string; attempt: number; body: string }[];
}

/** Everything of one kind that followed from a request, in one line. */
export interface StoryRow {
  /** The part of the service. */
  layer: "request" | "table" | "worker" | "message";
  title: string;
  about: string;
  at: number;
  /** From the first to the end of the last. */
  milliseconds: number;
  isBad: boolean;
  changes: ChangeView[];
  runs: RunView[];
  messages: InboxView[];
}

/** Everything that is known of a request and of what followed, oldest first. */
export interface StoryView {
  row: RequestRow;
  title: string;
  /** The event of its function, as `npm run invoke` takes it. */
  event: { headers: Record<string, string>; body?: string } | null;
  answer: { headers: Record<string, string>; body: string | null } | null;
  /** The reason why it cannot be sent again as it was; null if it can. */
  unsendable: string | null;
  rows: StoryRow[];
}

/** A message that was sent to a person, or an event that went out to other systems. */
export interface InboxView {
  id: string;
  channel: "email" | "sms" | "push" | "event";
  /** The address of a person, the type of an event. */
  to: string;
  person: Pick<ShownPerson, "id" | "name"> | null;
  /** The subject of a mail, the title of a push, the record of an event. */
  subject: string | null;
  /** The words that a person reads; an event as JSON. */
  text: string;
  hasHtml: boolean;
  pin: string | null;
  at: number;
}

/** The sentence for an address without a view, which names the command or view to use. */
export const elsewhere: Readonly<Record<string, string>> = {
  home: "The desk begins with Requests, at /_local/.",
  data: "For failed messages, schedules and limits see npm run -s local -- --help; for items a table browser, which infra/local/README.md names; for the changes of a record npm run history -- TYPE ID.",
  events:
    "Outgoing events are in the Inbox, at /_local/#/inbox. To send one, use PutEvents at this address (shared/contract/EVENTS.md).",
};
