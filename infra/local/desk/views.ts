import type { Role } from "../../../shared/contract/operation.ts";

/** What the desk's server answers its page with. Times are milliseconds since 1970. */

/** A user as the people's list shows it. */
export interface Person {
  id: number;
  name: string;
  role: Role;
  companyId: number | null;
  company: string | null;
  /** E-mail address and phone number, as far as it signs in with them. */
  logins: string[];
}

/** Everyone, and what there is beside the desk. */
export interface PeopleView {
  people: Person[];
  /** Where the reference page is, if the stack has one. */
  docs: string | null;
  demoPassword: string;
}

/** One line of what a function wrote: the service's own with its fields, any other as text. */
export interface LogView {
  at: number;
  level: string;
  text: string;
  fields: Record<string, unknown>;
  stack: string | null;
}

/** A request, or work that none began, such as an event of another system. */
export interface RequestRow {
  id: string;
  at: number;
  kind: "request" | "work";
  method: string;
  /** Path and query, secrets masked; of work what it was called with. */
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
      /** False where the item names no request, and the change was seen while the request's work may have written it. */
      isNamed: boolean;
    }
  | { kind: "message"; message: InboxView }
);

/** Everything that is known of a request, and what followed from it, oldest first. */
export interface StoryView {
  row: RequestRow;
  request: { headers: Record<string, string>; body: string | null } | null;
  answer: { headers: Record<string, string>; body: string | null } | null;
  /** The event of its function, as `npm run invoke` takes it. */
  event: object | null;
  /** Why it cannot be sent again as it was; null where it can. */
  unsendable: string | null;
  lines: LogView[];
  error: string | null;
  steps: Step[];
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
  /** Of this copy of the event. */
  key: string;
  id: string;
  type: string;
  subject: string;
  at: number;
  event: object;
  /** What came of posting it to this computer: a status, or why there is none; null where it was not posted. */
  posted: string | null;
}

/** The webhook of this computer: where events are posted, if anywhere, and what its receiver verifies them with. */
export interface WebhookView {
  url: string;
  secret: string;
}

/** A queue, and the newest messages of one that keeps what failed. */
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
  /** `title` is empty where the key says all. */
  items: { key: string; title: string; item: Record<string, unknown> }[];
  /** Where to go on; null at the end. */
  next: string | null;
}
