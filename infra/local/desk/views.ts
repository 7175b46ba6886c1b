import type { Role } from "../../../shared/contract/operation.ts";

/** The answers of the desk's server to its page. Times are milliseconds since 1970. */

/** A user in the list of people. */
export interface Person {
  id: number;
  name: string;
  role: Role;
  companyId: number | null;
  company: string | null;
  /** The e-mail address and phone number that the user signs in with. */
  logins: string[];
}

/** All users, and links beside the desk. */
export interface PeopleView {
  people: Person[];
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

/** The latest changes of a record, and whether older ones are kept. */
export interface RecordChangesView {
  changes: RecordChange[];
  hasMore: boolean;
}

/** One step of what followed from a request. */
export type Step = { at: number } & (
  | {
      kind: "run";
      functionName: string;
      milliseconds: number;
      error: string | null;
      lines: LogView[];
      messages: QueueMessage[];
    }
  | {
      kind: "change";
      entity: string;
      key: string;
      action: "insert" | "update" | "remove";
      fields: FieldChange[];
      /** False if the item names no request, and the change was seen while the request's work may have written it. */
      isNamed: boolean;
    }
  | { kind: "message"; message: InboxView }
);

/** Everything that is known of a request and of what followed, oldest first. */
export interface StoryView {
  row: RequestRow;
  request: { headers: Record<string, string>; body: string | null } | null;
  answer: { headers: Record<string, string>; body: string | null } | null;
  /** The event of its function, as `npm run invoke` takes it. */
  event: object | null;
  /** The reason why it cannot be sent again as it was; null if it can. */
  unsendable: string | null;
  lines: LogView[];
  error: string | null;
  steps: Step[];
  /** True if the history may have dropped table changes of it. */
  mayLackChanges: boolean;
}

/** A message that was sent to a person. */
export interface InboxView {
  id: string;
  channel: "email" | "sms" | "push";
  to: string;
  person: Pick<Person, "id" | "name"> | null;
  subject: string | null;
  text: string | null;
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

/** Queues, stream, schedules and kinds of items. */
export interface ResourcesView {
  kinds: { name: string; version: number }[];
  queues: QueueView[];
  consumers: { functionName: string; after: string; behind: number | null }[];
  schedules: { functionName: string; when: string }[];
}

/** A page of the items of a kind. */
export interface ItemsView {
  /** `title` is empty if the key says everything. */
  items: { key: string; title: string; item: Record<string, unknown> }[];
  /** The key to go on from; null at the end. */
  next: string | null;
}
