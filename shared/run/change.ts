import { createHash } from "node:crypto";

/** Letters of an id that name its change item. The last 8 say the second, so that a key that comes again has another id. */
const namingLetters = 28;

/** The second since 1970 in hexadecimal, until the year 2106. */
const secondLetters = 8;

/** A request with an `Idempotency-Key`: its user, its operation and its key (D32). */
interface KeyedRequest {
  readonly userId: number;
  readonly operation: string;
  readonly key: string;
}

/** A UUID of version 7: ids sort by the millisecond in which they were made. Then 74 random bits. */
export function newChangeId(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/**
 * The id of the change that a request with a key makes: a UUID of version 8 with 90 bits of a hash of the request and
 * the second. The hash has no key of its own, so the id stays the same when the HMAC key is rotated.
 */
export function keyedChangeId({ userId, operation, key }: KeyedRequest, now: Date): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([userId, operation, key]))
    .digest("hex");
  const variant = ((Number.parseInt(hash.slice(15, 16), 16) & 0b11) | 0b1000).toString(16);
  const second = Math.floor(now.getTime() / 1000)
    .toString(16)
    .padStart(secondLetters, "0");
  const first = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(12, 15)}-${variant}${hash.slice(16, 19)}`;
  return `${first}-${hash.slice(19, 23)}${second}`;
}

/** The part of an id that is the same for every request with the same key. */
export function nameOfChange(id: string): string {
  return id.slice(0, namingLetters);
}

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
  /** The id of the API key that a user made it with. */
  readonly key_id?: number | undefined;
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

/** A change that a user makes, with an API key or without. */
export function byUser(change: Change, userId: number, keyId?: number): Change {
  return { ...change, by: `user#${userId}`, ...(keyId !== undefined && { key_id: keyId }) };
}
