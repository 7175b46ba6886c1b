import type { Role } from "../../../shared/contract/operation.ts";

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

export interface Person {
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
  people: Person[];
  total: number;
  /** Address of the reference page, if the stack has one. */
  docs: string | null;
  demoPassword: string;
}

/** A line of a function's output: the service's own with its fields, any other as text. */
export interface LogView {
  at: number;
  level: string;
  text: string;
  fields: Record<string, unknown>;
  stack: string | null;
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

/** A message as it was received from a queue. */
export interface QueueMessage {
  id: string;
  queue: string;
  attempt: number;
  body: string;
}

/** A field of an item before and after a change, as JSON. */
export interface FieldChange {
  name: string;
  before: string | null;
  after: string | null;
}

/** A change of a record, as the history has it. */
export interface RecordChange {
  id: string;
  at: number;
  action: string;
  by: string;
  operation: string | null;
  requestId: string | null;
  fields: FieldChange[];
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
  fields: FieldChange[];
  /** False if the item names no request, and the change was seen while the request's work may have written it. */
  isNamed: boolean;
}

export interface RunView {
  at: number;
  functionName: string;
  milliseconds: number;
  error: string | null;
  lines: LogView[];
  messages: QueueMessage[];
}

/** The parts of the service in the order in which a request goes through them. */
export const layers = ["request", "table", "worker", "message"] as const;

/** Everything of one kind that followed from a request, in one line. */
export interface StoryRow {
  layer: (typeof layers)[number];
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
  request: { headers: Record<string, string>; body: string | null } | null;
  answer: { headers: Record<string, string>; body: string | null } | null;
  /** The event of its function, as `npm run invoke` takes it. */
  event: object | null;
  /** The reason why it cannot be sent again as it was; null if it can. */
  unsendable: string | null;
  rows: StoryRow[];
  /** Writes that no person would mention, such as those of counters and the history. */
  bookkeeping: StoryRow[];
}

export interface HomeView extends Pick<PeopleView, "docs" | "demoPassword"> {
  /** The latest request or event that may have changed something. */
  story: StoryView | null;
  failed: RequestRow[];
  queues: { name: string; failed: number }[];
  consumers: ConsumerView[];
  messages: InboxView[];
  /** A user who can pay timesheets. */
  operator: Person | null;
}

/** A message that was sent to a person. */
export interface InboxView {
  id: string;
  channel: "email" | "sms" | "push";
  to: string;
  person: Pick<Person, "id" | "name"> | null;
  /** The subject of a mail, the title of a push. */
  subject: string | null;
  /** The words that a person reads. */
  text: string;
  hasHtml: boolean;
  pin: string | null;
  sentAt: number;
}

/** An event that went out on the outbound bus. */
export interface OutboundView {
  /** Identifies this copy of the event. */
  key: string;
  id: string;
  type: string;
  subject: string;
  at: number;
  event: object;
  /** The result of posting it to this computer: a status or an error code; null if it was not posted. */
  posted: string | null;
}

/** The webhook of this computer: its address, empty if it has none, and the secret that its receiver verifies with. */
export interface WebhookView {
  url: string;
  secret: string;
}

/** A queue, and the newest failed messages if it keeps any. */
export interface QueueView {
  name: string;
  waiting: number;
  inWork: number;
  /** The queue whose failed messages this one keeps. */
  deadLettersOf: string | null;
  keepsFailed: boolean;
  messages: { id: string; sentAt: number; body: string }[];
}

/** The position of a consumer of the stream, and the number of changes behind it; null if that is unknown. */
export interface ConsumerView {
  functionName: string;
  after: string;
  behind: number | null;
}

export interface ResourcesView {
  kinds: { name: string; count: number }[];
  queues: QueueView[];
  consumers: ConsumerView[];
  schedules: { functionName: string; when: string }[];
}

/** An item; `title` is empty if the key says everything. */
export interface ItemView {
  key: string;
  title: string;
  item: Record<string, unknown>;
}
