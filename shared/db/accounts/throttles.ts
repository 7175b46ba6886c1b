import { createHmac } from "node:crypto";
import type { RefusalCode } from "../../contract/refusal-codes.ts";
import {
  admittedAt,
  type Limit,
  longestWindowMs,
  retryAfterSeconds,
  withAttempt,
} from "../../domain/accounts/throttle.ts";
import { Refusal } from "../../domain/refusal.ts";
import { hmacKey } from "../../secrets.ts";
import { ifUnchanged } from "../table/conditions.ts";
import { busy } from "../table/conflicts.ts";
import { epochSeconds } from "../table/expiry.ts";
import { throttleKey } from "../table/keys.ts";
import { deleteItemAt, getItem, type Key, putIf } from "../table/table.ts";
import { type TransactionWrite, transact } from "../table/transaction.ts";

/** A rule that limits how often something is tried. */
export interface Throttle {
  readonly rule: string;
  readonly limits: readonly Limit[];
  /** Code of its refusals when it is not `too_many_requests`. */
  readonly refusal?: RefusalCode;
}

/** A throttle and the subject whose attempts it counts: a login, or a client's address. Only a hash of it is stored. */
export interface Throttled {
  readonly throttle: Throttle;
  readonly subject: string;
}

const maxRaces = 60;

/**
 * Access pattern H1: counts one attempt for each subject; over a limit it is refused, and counted for none. Of attempts
 * in parallel each is decided on its own: a lost race is run again, and after many it is refused as `busy`. Half a read
 * unit and two write units a subject, two round trips.
 */
export async function countAttempt(throttled: readonly Throttled[], now: Date): Promise<void> {
  for (let race = 0; race < maxRaces; race += 1) {
    const writes = await Promise.all(throttled.map((each) => planAttempt(each, now, { consistent: race > 0 })));
    if ((await transact(writes)).length === 0) return;
  }
  throw busy();
}

/**
 * Access pattern H2: the write that counts an attempt, for a transaction of its own or another's; refused when a limit is
 * reached. Its condition fails when another attempt came between. Half a read unit, twice that when consistent.
 */
export async function planAttempt(
  { throttle, subject }: Throttled,
  now: Date,
  { consistent }: { consistent: boolean },
): Promise<TransactionWrite> {
  const key = await keyOf(throttle, subject);
  const stored = await getItem(key, { consistent });
  const attempts = (stored?.attempts ?? []) as readonly number[];
  requireRoom(throttle, attempts, now);
  const Item = {
    ...key,
    attempts: withAttempt(attempts, throttle.limits, now.getTime()),
    revision: Number(stored?.revision ?? 0) + 1,
    expires_at: epochSeconds(new Date(now.getTime() + longestWindowMs(throttle.limits))),
  };
  return { Put: { Item, ...ifUnchanged(stored) } };
}

/** Access pattern H3: forgets a subject's attempts. One write unit. */
export async function forgetAttempts({ throttle, subject }: Throttled): Promise<void> {
  await deleteItemAt(await keyOf(throttle, subject));
}

/**
 * Access pattern H4: takes one attempt back that was counted at that moment and turned out not to be a failure. An
 * attempt that cannot be taken back in a crowd of others stays counted. Half a read unit, one write unit.
 */
export async function refundAttempt({ throttle, subject }: Throttled, moment: Date): Promise<void> {
  const key = await keyOf(throttle, subject);
  for (let race = 0; race < maxRaces; race += 1) {
    const stored = await getItem(key, { consistent: race > 0 });
    const attempts = (stored?.attempts ?? []) as readonly number[];
    const at = attempts.lastIndexOf(moment.getTime());
    if (!stored || at < 0) return;
    const isTakenBack = await putIf({
      Item: { ...stored, attempts: attempts.toSpliced(at, 1), revision: Number(stored.revision) + 1 },
      ...ifUnchanged(stored),
    });
    if (isTakenBack) return;
  }
}

async function keyOf({ rule }: Throttle, subject: string): Promise<Key> {
  const hash = createHmac("sha256", await hmacKey())
    .update(`throttle|${rule}|${subject}`)
    .digest("base64url");
  return throttleKey(rule, hash);
}

function requireRoom({ limits, refusal }: Throttle, attempts: readonly number[], now: Date): void {
  const moment = admittedAt(attempts, limits, now.getTime());
  if (moment <= now.getTime()) return;
  const facts = { retryAfterSeconds: retryAfterSeconds(moment, now.getTime()) };
  throw new Refusal(refusal ?? "too_many_requests", "Too many attempts; try again later", facts);
}
