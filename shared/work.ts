import { AsyncLocalStorage } from "node:async_hooks";

/** A piece of work: a request, a message of a queue, a change of the table, or a batch of changes. Its log lines carry all of it. */
export interface Work {
  readonly operation: string;
  /** Id of the request that it follows from: API Gateway's, or what represents it where no request began it; never a client's. */
  readonly request_id?: string | undefined;
  /** Ids of the requests that a batch follows from, where they are several. */
  readonly request_ids?: readonly string[] | undefined;
  readonly message_id?: string | undefined;
  /** The number of times that the message was received, from the second time on. */
  readonly attempt?: number | undefined;
}

/** The kinds of messages that leave the service, or a queue's sender, during its work. */
export type Sent = "emails" | "sms" | "pushes" | "events" | "queued";

interface Current {
  readonly work: Work;
  readonly sent: Partial<Record<Sent, number>>;
}

const current = new AsyncLocalStorage<Current>();

/** Milliseconds since the process began, monotonic. Node.js loads the module of `performance` at its first use: 1 % of a start. */
export function uptimeMs(): number {
  return process.uptime() * 1000;
}

/** Runs a piece of work: whatever it awaits, logs and sends belongs to it. */
export function carryOut<T>(work: Work, run: () => T): T {
  return current.run({ work, sent: {} }, run);
}

/** The work under way; undefined where there is none, as while an environment starts and in tools. */
export function currentWork(): Work | undefined {
  return current.getStore()?.work;
}

/** Counts what the work under way has sent. */
export function noteSent(kind: Sent, amount = 1): void {
  const { sent } = current.getStore() ?? {};
  if (sent) sent[kind] = (sent[kind] ?? 0) + amount;
}

/** The numbers of messages that the work under way has sent so far. */
export function sentSoFar(): Readonly<Partial<Record<Sent, number>>> {
  return current.getStore()?.sent ?? {};
}
