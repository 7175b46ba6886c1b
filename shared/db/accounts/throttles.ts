import type { RefusalCode } from "../../contract/refusal-codes.ts";
import {
  admittedAt,
  type Limit,
  longestWindowMs,
  retryAfterSeconds,
  withAttempt,
} from "../../domain/guessing/throttle.ts";
import { Refusal } from "../../domain/refusal.ts";
import { deleteItemAt, putIf } from "../table/conditional-writes.ts";
import { ifUnchanged, type PutWrite } from "../table/conditions.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSeconds } from "../table/expiry.ts";
import { paces, retry } from "../table/retry.ts";
import type { Key } from "../table/table.ts";

/** A subject's attempts as the table has them; the key names the rule and the subject's hash. */
interface StoredThrottle extends StoredItem {
  /** Moments in milliseconds, oldest first. */
  readonly attempts: readonly number[];
  /** How many there were in a row, where the rule counts them. */
  readonly streak?: number;
  /** What they were in a row against. */
  readonly streak_of?: string;
  readonly revision: number;
  readonly expires_at: number;
}

/** The entity of throttles. */
export const throttles = defineEntity<StoredThrottle>(
  "throttle",
  ({ pk, sk }) => sk === "THROTTLE" && pk.startsWith("THROTTLE#"),
);

/** A rule that limits how often something is tried. */
export interface Throttle {
  readonly rule: string;
  readonly limits: readonly Limit[];
  /** So many attempts in a row close the subject until they are forgotten; `reason` says what opens it, as waiting alone does not. */
  readonly closing?: { readonly streak: number; readonly reason: string };
  /** Code of its refusals when it is not `too_many_requests`. */
  readonly refusal?: RefusalCode;
}

const msPerDay = 86_400_000;
/** Attempts in a row outlast the windows of the limits. */
const closedDays = 400;

/** A throttle and the keyed hash of the subject whose attempts it counts: a login, or a client's address. */
export interface Throttled {
  readonly throttle: Throttle;
  readonly subjectHash: string;
  /** Names what is tried, by a keyed hash: attempts at another one begin a new row. */
  readonly secret?: string;
}

/** How an attempt is planned. */
export interface PlanOptions {
  readonly consistent: boolean;
  /** True where it counts and is not refused. */
  readonly isExempt?: boolean;
}

/**
 * Access pattern H1: counts one attempt; over a limit it is refused, and not counted. Of attempts in parallel each is decided
 * on its own: a lost race is run again, and after many it is refused as `busy`. Half a read unit and one write unit, two round
 * trips.
 */
export async function countAttempt(throttled: Throttled, now: Date): Promise<void> {
  await retry(paces.crowd, async (count) => {
    const { Put } = await planAttempt(throttled, now, { consistent: count > 0 });
    return (await putIf(Put)) || undefined;
  });
}

/**
 * Access pattern H2: the write that counts an attempt, for a transaction of its own or another's; refused when a limit is
 * reached, unless it is exempt. Its condition fails when another attempt came between. Half a read unit, twice that when
 * consistent.
 */
export async function planAttempt(
  throttled: Throttled,
  now: Date,
  { consistent, isExempt = false }: PlanOptions,
): Promise<PutWrite> {
  const { throttle } = throttled;
  const stored = await throttles.find(keyOf(throttled), { consistent });
  const attempts = stored?.attempts ?? [];
  const streak = 1 + (stored?.streak_of === throttled.secret ? (stored?.streak ?? 0) : 0);
  if (!isExempt) requireOpen(throttle, attempts, streak, now);
  const keptMs = throttle.closing ? closedDays * msPerDay : longestWindowMs(throttle.limits);
  const item = throttles.encode({
    ...stored,
    ...keyOf(throttled),
    attempts: withAttempt(attempts, throttle.limits, now.getTime()),
    ...(throttle.closing && { streak, streak_of: throttled.secret }),
    revision: (stored?.revision ?? 0) + 1,
    expires_at: epochSeconds(new Date(now.getTime() + keptMs)),
  });
  return { Put: { Item: item, ...ifUnchanged(stored) } };
}

/** Access pattern H3: forgets a subject's attempts. One write unit. */
export async function forgetAttempts(throttled: Throttled): Promise<void> {
  await deleteItemAt(keyOf(throttled));
}

/**
 * Access pattern H4: takes one attempt back that was counted at that moment and turned out not to be a failure. An
 * attempt that cannot be taken back in a crowd of others stays counted. Half a read unit, one write unit.
 */
export async function refundAttempt(throttled: Throttled, moment: Date): Promise<void> {
  const takeBack = async (count: number) => {
    const stored = await throttles.find(keyOf(throttled), { consistent: count > 0 });
    const at = stored?.attempts.lastIndexOf(moment.getTime()) ?? -1;
    if (!stored || at < 0) return true;
    const next = { ...stored, attempts: stored.attempts.toSpliced(at, 1), revision: stored.revision + 1 };
    return (await putIf({ Item: throttles.encode(next), ...ifUnchanged(stored) })) || undefined;
  };
  await retry(paces.crowd, takeBack, () => true);
}

function keyOf({ throttle, subjectHash }: Throttled): Key {
  return { pk: `THROTTLE#${throttle.rule}#${subjectHash}`, sk: "THROTTLE" };
}

/** A closed subject may come back in a day, whatever the day. */
function requireOpen({ limits, closing, refusal }: Throttle, attempts: readonly number[], streak: number, now: Date) {
  if (closing && streak > closing.streak) throw tooManyRequests(now.getTime() + msPerDay, now, refusal, closing.reason);
  requireAdmitted(admittedAt(attempts, limits, now.getTime()), now, refusal);
}

/** Refuses an attempt that is admitted only at a later moment, in milliseconds. */
export function requireAdmitted(opensAt: number, now: Date, code?: RefusalCode): void {
  if (opensAt > now.getTime()) throw tooManyRequests(opensAt, now, code);
}

/** The refusal of what is admitted at a later moment, with the wait in whole minutes (D11): `Retry-After` says it, and the detail. */
export function tooManyRequests(
  opensAt: number,
  now: Date,
  code: RefusalCode = "too_many_requests",
  reason = "Too many attempts",
): Refusal {
  const seconds = retryAfterSeconds(opensAt, now.getTime());
  return new Refusal(code, `${reason}; try again in ${seconds} seconds`, { retryAfterSeconds: seconds });
}
