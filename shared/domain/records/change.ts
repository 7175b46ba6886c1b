import { newChangeId } from "./change-id.ts";

/**
 * A change: what a person, another system, a run or the service itself does to records, the unit of history and undo. Each record
 * that it writes carries it, and the stream hands it on.
 */
export interface Change {
  /** Id of the request that the change follows from; absent if no request began it. */
  readonly request?: string | undefined;
  /** The same for all records that one call, message or run changes: a UUID that the service makes. */
  readonly id: string;
  /** The author: `user#<id>`, `import#<run id>`, `event#<source>#<event id>`, `schedule#<name>`, `tool#<command>`; else `service#<operation>`. */
  readonly by: string;
  /** Name of the operation, worker or command. */
  readonly operation: string;
  /** When it was asked for; in a run that may take hours, when it was written. ISO 8601. */
  readonly at: string;
  /** The change that it undoes; absent of any other. */
  readonly undoes?: string | undefined;
}

/** The work that a change is begun by; the service itself makes it unless `by` says who does. */
interface Beginning {
  readonly operation: string;
  readonly request?: string | undefined;
  readonly by?: string;
}

/** Begins a change, at this moment. */
export function beginChange({ operation, request, by = `service#${operation}` }: Beginning): Change {
  const now = new Date();
  return { request, id: newChangeId(now), by, operation, at: now.toISOString() };
}

/** A change that a user makes. */
export function byUser(change: Change, userId: number): Change {
  return { ...change, by: `user#${userId}` };
}
