import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** A signed-in user, as access tokens name one. */
export interface Actor {
  readonly id: number;
  readonly role: "admin" | "operator" | "client" | "driver";
  readonly company_id: number | null;
}

/** What is sent to an operation. */
export interface Sent {
  readonly as?: Actor;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
}

/** What an operation answered. */
export interface Answered {
  readonly status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed answer of any operation
  readonly body: any;
}

/** An item as DynamoDB takes it, in DynamoDB JSON. */
export type MarshalledItem = Record<string, AttributeValue>;

/** A request with an Idempotency-Key; the key serves as its fingerprint too. */
export interface KeyedRequest {
  readonly userId: number;
  readonly operation: string;
  readonly key: string;
}

/** The queues whose messages cross a deploy. */
export const queues = ["pins", "notices", "notifications", "pushes", "quarantine"] as const;
export type Queue = (typeof queues)[number];

/**
 * A release that runs on a table of its own, driven by what outlives every release: operations, workers, import lines,
 * queues. The names of operations and workers are those of today; an older release maps them to its own.
 */
export interface Release {
  setClock(moment: Date): void;
  call(operation: string, sent: Sent): Promise<Answered>;
  /** Calls a worker; throws where it gives a message back. */
  work(worker: string, event?: object): Promise<void>;
  /** Writes an import line. */
  importLine(line: object): Promise<void>;
  /** Takes all messages out of a queue. */
  takeMessages(queue: Queue): Promise<unknown[]>;
  /** The pin in the newest message to someone. */
  newestPin(to: string): string;
  /** Everything in the table. */
  readItems(): Promise<MarshalledItem[]>;
  /** Acquires the lease of a push and never releases it, as a worker that crashes does. */
  abandonPush(userId: number, notificationId: number): Promise<void>;
  /** Leaves a migration that broke off, and one that is complete. */
  abandonMigration(): Promise<void>;
  /** Leaves a webhook that is disabled, as its receiver failed for days that its events were rare in. */
  disableWebhook(): Promise<void>;
  /** Opens the run of a request and never ends it; gives the token of its transaction. */
  abandonRun(request: KeyedRequest): Promise<string>;
  /** Runs a request and keeps its answer in several pieces. */
  keepInPieces(request: KeyedRequest, answer: string): Promise<void>;
  /** Records an access token that a person makes. */
  recordToken(): Promise<void>;
  /** The values of the secrets, by name. */
  readSecrets(): Promise<Record<"hmac" | "signing", unknown>>;
}

/** A page's request with the cursor that leads on from it, and the ids of the page it leads to. */
export interface FrozenCursor extends Sent {
  readonly operation: string;
  readonly cursor: string;
  readonly ids: readonly number[];
}

/** What clients hold while a release is replaced by the next. */
export interface Held {
  /** The moment at which all of it stood as it is here. */
  readonly moment: string;
  readonly refreshToken: string;
  readonly spentRefreshToken: string;
  readonly pins: readonly { readonly login: string; readonly pin: string }[];
  readonly resetToken: string;
  readonly cursors: readonly FrozenCursor[];
  readonly repeated: { readonly operation: string; readonly sent: Sent; readonly answer: unknown };
  readonly abandonedRun: { readonly request: KeyedRequest; readonly token: string };
  readonly inPieces: { readonly request: KeyedRequest; readonly answer: string };
}

/** What a release leaves behind for the next one. */
export interface Left {
  readonly items: readonly MarshalledItem[];
  readonly messages: Readonly<Record<Queue | "intake", readonly unknown[]>>;
  readonly held: Held;
  readonly secrets: Readonly<Record<"hmac" | "signing", unknown>>;
}
