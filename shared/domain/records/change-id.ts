import { createHash } from "node:crypto";

/** Letters of an id that name its change item. The last 8 say the second, so that a key that comes again has another id. */
const namingLetters = 28;
/** The second since 1970 in hexadecimal, until the year 2106. */
const secondLetters = 8;

/** A request with an `Idempotency-Key`: its user, its operation and its key (D32). */
export interface KeyedRequest {
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
