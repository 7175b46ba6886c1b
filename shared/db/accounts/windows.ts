import { Refusal } from "../../contract/refusals.ts";
import { type LimitRule, type RuleName, rules, windowOf } from "../../domain/guessing/rules.ts";
import { isThrottled } from "../../run/limits.ts";
import { defineEntity, type StoredItem } from "../../table/entity.ts";
import type { Key } from "../../table/table.ts";
import { epochSecondsAfter } from "../../table/table.ts";
import { allOf, anyOf, deleteItemAt, lacks, type Patch, transact, tryUpdate, updateOf } from "../../table/writes.ts";

/** The attempts of a subject in a window. One attribute more for each client that a rule counts apart: `of_` and its hash. */
interface StoredCount extends StoredItem {
  readonly n: number;
  readonly expires_at: number;
  /** The last number that was counted, of numbers that only grow. */
  readonly highest?: number;
}

/** The entity of counted attempts; the key holds the rule, the subject's keyed hash and the window's start. */
export const limitCounts = defineEntity<StoredCount>("limit count", ({ pk }) => pk.startsWith("LIMIT#"));

/** The subject whose attempts are counted, and the rule that counts them. Subject and client are keyed hashes. */
export interface LimitSubject {
  readonly rule: RuleName;
  readonly subject: string;
  /** For a rule that counts each client apart as well. */
  readonly client?: string;
}

/** An attempt that was counted. */
export interface CountedAttempt {
  readonly key: Key;
  /** The attribute of its client, for a rule that counts each apart. */
  readonly client: string | undefined;
  /** True if it is the only one of its client. */
  readonly isOnly: boolean;
}

/** Two windows; a row without a window outlasts those of its subject. */
export const limitCountDays = { hour: 1, day: 2, none: 400 };

/**
 * Access pattern G1: counts an attempt. Above the limit it refuses and counts nothing. Of attempts at once, no more than
 * the limit get through; a lost answer counts one too many only if another write came between. One write unit, one round trip.
 */
export async function countAttempt(limited: LimitSubject, now: Date): Promise<CountedAttempt> {
  const { most, mostOfClient }: LimitRule = rules[limited.rule];
  const { key, client } = countOf(limited, now);
  const isBelow = anyOf(lacks("n"), "n < :most");
  const isClientBelow = client && anyOf(lacks(client), `${client} < :most_of_client`);
  const { isWritten, item } = await tryUpdate(key, {
    when: isClientBelow ? allOf(isBelow, isClientBelow) : isBelow,
    values: { ":most": most, ...(isClientBelow && { ":most_of_client": mostOfClient }) },
    ...increment(limited, now),
  });
  if (!isWritten) throw tooManyAttempts(limited.rule, now);
  return { key, client, isOnly: client !== undefined && item?.[client] === 1 };
}

/**
 * Access pattern G6: counts a number of a subject whose numbers only grow, once for however many attempts. False, and
 * uncounted, above the limit. One write unit, one round trip.
 */
export async function countNumberOnce(limited: LimitSubject, number: number, now: Date): Promise<boolean> {
  const { set, ...more } = increment(limited, now);
  const { isWritten, item } = await tryUpdate(countOf(limited, now).key, {
    when: allOf(anyOf(lacks("n"), "n < :most"), anyOf(lacks("highest"), "highest < :number")),
    values: { ":most": rules[limited.rule].most, ":number": number },
    set: { ...set, highest: number },
    ...more,
  });
  return isWritten || (item !== undefined && (limitCounts.decode(item).highest ?? 0) >= number);
}

/**
 * Access pattern G2: takes an attempt back that was no failure, exactly once, also if an answer is lost or others count
 * meanwhile. If others keep writing the counter, the attempt stays counted. Two write units.
 */
export async function giveBack({ key, client, isOnly }: CountedAttempt): Promise<void> {
  const least = { when: "n >= :one", values: { ":one": 1 } };
  const ofClient = client && { ...least, when: allOf(least.when, `${client} >= :one`) };
  const less = ofClient ? { ...ofClient, add: { n: -1, [client]: -1 } } : { ...least, add: { n: -1 } };
  if (isOnly && client) {
    const isStillOnly = { ...least, when: allOf(least.when, `${client} = :one`) };
    if (await isGivenBack(key, { ...isStillOnly, add: { n: -1 }, remove: [client] })) return;
  }
  await isGivenBack(key, less);
}

/** Access pattern G3: counts a failure, whatever the limit. One write unit. Returns the count. */
export async function countFailure(limited: LimitSubject, now: Date): Promise<number> {
  const { item } = await tryUpdate(countOf(limited, now).key, increment(limited, now));
  return item ? limitCounts.decode(item).n : 0;
}

/** Access pattern G4: the attempts of a subject in its window. Half a read unit, one if consistent. */
export async function findCount(limited: LimitSubject, now: Date, { consistent = false } = {}): Promise<number> {
  return (await limitCounts.find(countOf(limited, now).key, { consistent }))?.n ?? 0;
}

/** Refuses a subject whose attempts in this window have reached the limit. */
export function requireBelow(rule: RuleName, count: number, now: Date): void {
  if (count >= rules[rule].most) throw tooManyAttempts(rule, now);
}

/** Access pattern G5: forgets the attempts of a subject in its window. One write unit. */
export async function forgetCount(limited: LimitSubject, now: Date): Promise<void> {
  await deleteItemAt(countOf(limited, now).key);
}

function countOf({ rule, subject, client }: LimitSubject, now: Date) {
  const { mostOfClient, ...window }: LimitRule = rules[rule];
  const { start } = windowOf(window, now);
  const isApart = mostOfClient !== undefined && client !== undefined;
  return { key: { pk: `LIMIT#${rule}#${subject}`, sk: start }, client: isApart ? `of_${client}` : undefined };
}

function increment(limited: LimitSubject, now: Date): Patch {
  const { client } = countOf(limited, now);
  const expires_at = epochSecondsAfter(now, limitCountDays[rules[limited.rule].window]);
  return { set: { expires_at }, add: { n: 1, ...(client && { [client]: 1 }) } };
}

async function isGivenBack(key: Key, patch: Patch): Promise<boolean> {
  const failed = await transact([{ Update: updateOf(key, patch) }]).catch(staysCounted);
  return failed.length === 0;
}

/** Others hold the count, or the table takes no more. What the attempt was for has succeeded all the same. */
function staysCounted(error: unknown): readonly number[] {
  if (isThrottled(error) || (error instanceof Refusal && error.code === "busy")) return [];
  throw error;
}

function tooManyAttempts(rule: RuleName, now: Date): Refusal {
  const { code = "too_many_requests", reason = "Too many attempts" }: LimitRule = rules[rule];
  const minutes = Math.ceil((windowOf(rules[rule], now).endsAt.getTime() - now.getTime()) / 60_000);
  const wait = minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : `${minutes} min`;
  return new Refusal(code, `${reason}; try again in ${wait}`, { retryAfterSeconds: minutes * 60 });
}

/** As `countAttempt`, but returns undefined above the limit. */
export async function takeIfBelow(limited: LimitSubject, now: Date): Promise<CountedAttempt | undefined> {
  return countAttempt(limited, now).catch((error: unknown) => {
    if (error instanceof Refusal && error.code !== "busy") return undefined;
    throw error;
  });
}
