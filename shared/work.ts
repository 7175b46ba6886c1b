import { AsyncLocalStorage } from "node:async_hooks";
import type { Change } from "./domain/records/change.ts";

/** A piece of work: a request, a message of a queue, a change of the table, or a batch of changes. Its log lines carry all of it. */
export interface Work {
  readonly operation: string;
  /** Id of the request that it follows from: API Gateway's, or what represents it where no request began it; never a client's. */
  readonly request_id?: string | undefined;
  /** Ids of the requests that a batch follows from, where they are several. */
  readonly request_ids?: readonly string[] | undefined;
  readonly message_id?: string | undefined;
  /** How often the message was received, from the second time on. */
  readonly attempt?: number | undefined;
}

/** A change under way; without `at`, each of its writes has a moment of its own. */
type OpenChange = Omit<Change, "at"> & { readonly at: string | undefined };

/** What left the service, or a queue's sender, while it worked. */
type Sent = "emails" | "sms" | "pushes" | "events" | "queued";

interface Current {
  readonly work: Work;
  change: OpenChange;
  readonly sent: Partial<Record<Sent, number>>;
}

const current = new AsyncLocalStorage<Current>();

/**
 * Runs a piece of work: whatever it awaits, logs, writes and queues belongs to it. Its writes are one change of its own, or
 * part of the one that is given.
 */
export function carryOut<T>(work: Work, run: () => T, change: OpenChange = beginChange(work)): T {
  return current.run({ work, change, sent: {} }, run);
}

/** Runs a person's command, which may take hours. `actorOf` is given the id of its change. */
export function carryOutCommand<T>(work: Work, actorOf: (changeId: string) => string, run: () => T): T {
  const { id, operation } = beginChange(work);
  return carryOut(work, run, { id, by: actorOf(id), operation, at: undefined });
}

function beginChange({ operation, request_id: request }: Work): OpenChange {
  const now = new Date();
  return { request, id: makeChangeId(now), by: `service#${operation}`, operation, at: now.toISOString() };
}

/** A UUID of version 7: ids sort by the millisecond in which they were made. Then 74 random bits. */
function makeChangeId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** Says who makes the changes of the work under way. */
export function actAs(by: string): void {
  const store = current.getStore();
  if (store) store.change = { ...store.change, by };
}

/** Runs a part of the work under way whose writes are this change; without one, they are that of the work. */
export function asChange<T>(change: Change | undefined, run: () => T): T {
  const store = current.getStore();
  return store && change ? current.run({ ...store, change }, run) : run();
}

/** The work under way; undefined where there is none, as while an environment starts and in tools. */
export function currentWork(): Work | undefined {
  return current.getStore()?.work;
}

/** What a write of the work under way says of itself. */
export function lastChange(): Change | undefined {
  const change = current.getStore()?.change;
  return change && { ...change, at: change.at ?? new Date().toISOString() };
}

/** Counts what the work under way has sent. */
export function noteSent(kind: Sent, amount = 1): void {
  const { sent } = current.getStore() ?? {};
  if (sent) sent[kind] = (sent[kind] ?? 0) + amount;
}

/** What the work under way has sent so far. */
export function sentSoFar(): Readonly<Partial<Record<Sent, number>>> {
  return current.getStore()?.sent ?? {};
}
