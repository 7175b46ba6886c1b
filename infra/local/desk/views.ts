import type { InferOutput } from "valibot";
import type { historyEntry } from "../../../shared/contract/changes.ts";
import type { Role } from "../../../shared/contract/operation.ts";
import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import type { LogLine } from "../../runtime/log-lines.ts";

/** The answers of the desk's server to its page. Times are milliseconds since 1970. */

/** A duration as text: seconds above one. */
export function durationOf(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds.toFixed(0)}\u00a0ms` : `${(milliseconds / 1_000).toFixed(1)}\u00a0s`;
}

export function plural(count: number, name: string): string {
  return `${count.toLocaleString("en-GB")} ${count === 1 ? name : pluralOf(name)}`;
}

export function pluralOf(name: string): string {
  return /(s|history)$/.test(name) ? name : name.replace(/(?<![aeiou])y$/, "ie").concat("s");
}

export interface ShownPerson {
  id: number;
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

/** A change of a record, as the interface shows it. */
export type RecordChange = InferOutput<typeof historyEntry>;

/** A change of an item. It was written within the given time. */
export interface ChangeView {
  at: number;
  milliseconds: number;
  entity: string;
  /** The words that identify the item to a person; its key if it has none. */
  title: string;
  key: string;
  action: "new" | "changed" | "removed";
  fields: RecordChange["fields"];
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

/** A message that was sent to a person. */
export interface InboxView {
  id: string;
  channel: "email" | "sms" | "push";
  to: string;
  person: Pick<ShownPerson, "id" | "name"> | null;
  /** The subject of a mail, the title of a push. */
  subject: string | null;
  /** The words that a person reads. */
  text: string;
  hasHtml: boolean;
  pin: string | null;
  at: number;
}

/** An event that went out on the outbound bus. */
export interface OutboundView {
  /** Identifies this copy of the event. */
  key: string;
  event: OutboundEvent;
}

/** A queue, a consumer of the stream, a schedule or the limits: what it has to do, and what can be done about it. */
export interface ResourceRow {
  name: string;
  about: string;
  /** A bad one is of something that somebody should look at. */
  chips?: { words: string; look: "" | "good" | "warn" | "bad" }[];
  /** A change that the server is asked for. */
  action?: { label: string; path: string; what: object; isIdle?: boolean };
  /** The newest failed messages of a queue. */
  messages?: { id: string; sentAt: number; body: string }[];
}

/** A kind of items. */
export interface KindView {
  name: string;
  count: number;
  /** Whether imports bring it; all others are internal. */
  isRecord: boolean;
  /** Whether its changes are kept. */
  hasHistory: boolean;
}

export interface ResourcesView extends Record<"queues" | "stream" | "schedules", ResourceRow[]> {
  kinds: KindView[];
}

/** True for what somebody should look at. */
export function isBad({ chips = [] }: ResourceRow): boolean {
  return chips.some(({ look }) => look === "bad");
}

/** An item; `title` is empty if the key says everything. */
export interface ItemView {
  key: string;
  title: string;
  item: Record<string, unknown>;
}
