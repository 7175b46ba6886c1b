import { Refusal, type RefusalCode } from "../contract/refusals.ts";
import { isThrottled } from "../run/call-limits.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter, type Key } from "../table/table.ts";
import { allOf, anyOf, deleteItemAt, lacks, type Patch, transact, tryUpdate, updateOf } from "../table/writes.ts";
import { hmacKey } from "../tokens/secrets.ts";

/** The windows by the clock (UTC) in which attempts are counted. */
type WindowLength = "hour" | "day" | "none";

/** The number of attempts that a subject has in a window. Each rule stands at the head of the flow that it limits. */
export interface LimitRule {
  /** Its name in the keys of the table, which no other rule has. */
  readonly name: string;
  /** The subject whose attempts are counted. */
  readonly subjectKind: "login" | "client" | "proof" | "stage" | "user" | "session" | "passcode";
  readonly most: number;
  /** The most attempts of one client within those of the subject. */
  readonly mostOfClient?: number;
  readonly window: WindowLength;
  /** Code of the refusals if it is not `too_many_requests`. */
  readonly code?: RefusalCode;
  /** The reason in the refusals if it is not "Too many attempts". */
  readonly reason?: string;
}

/** A window by the clock. */
interface LimitWindow {
  /** Its start in ISO 8601, or `ALL`. */
  readonly start: string;
  readonly endsAt: Date;
}

const msOf = { hour: 3_600_000, day: 86_400_000 };
/** A rule without a window lets its subject try again after a day, whatever the day. */
const tryAgainMs = msOf.day;

/** The window of a rule at a moment. */
export function windowOf({ window }: Pick<LimitRule, "window">, now: Date): LimitWindow {
  if (window === "none") return { start: "ALL", endsAt: new Date(now.getTime() + tryAgainMs) };
  const start = now.getTime() - (now.getTime() % msOf[window]);
  return { start: new Date(start).toISOString(), endsAt: new Date(start + msOf[window]) };
}

/**
 * The client of an address: an IPv4 address, also in IPv6 form, or the /56 of an IPv6 address, which providers assign to
 * one subscriber (D10).
 */
export function clientOf(address: string): string {
  return ipv4Of(address) ?? prefixOf(address, 56);
}

/**
 * The site of an address: an IPv4 address, also in IPv6 form, or the /48 of an IPv6 address, which providers assign to one
 * customer at most (D11).
 */
export function siteOf(address: string): string {
  return ipv4Of(address) ?? prefixOf(address, 48);
}

/** True for a client on the service's own machine, such as a laptop. */
export function isLoopback(address: string): boolean {
  return clientOf(address) === "127.0.0.1" || address === "::1";
}

function ipv4Of(address: string): string | undefined {
  if (!address.includes(":")) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : undefined;
}

function prefixOf(address: string, bits: 48 | 56): string {
  const [a = 0, b = 0, c = 0, d = 0] = groupsOf(address);
  const groups = bits === 48 ? [a, b, c] : [a, b, c, d & 0xff00];
  return `${groups.map((group) => group.toString(16)).join(":")}::/${bits}`;
}

/** The eight groups of an IPv6 address, in any of its spellings. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const [left, right] = [numbersOf(head), numbersOf(tail ?? "")];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array.from({ length: zeros }, () => 0), ...right];
}

function numbersOf(text: string): number[] {
  const parts = text === "" ? [] : text.split(":");
  return parts.flatMap((part) => (part.includes(".") ? dottedOf(part) : [Number.parseInt(part, 16)]));
}

function dottedOf(part: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

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
  readonly rule: LimitRule;
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
  const { most, mostOfClient } = limited.rule;
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
    values: { ":most": limited.rule.most, ":number": number },
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
export function requireBelow(rule: LimitRule, count: number, now: Date): void {
  if (count >= rule.most) throw tooManyAttempts(rule, now);
}

/** Access pattern G5: forgets the attempts of a subject in its window. One write unit. */
export async function forgetCount(limited: LimitSubject, now: Date): Promise<void> {
  await deleteItemAt(countOf(limited, now).key);
}

function countOf({ rule, subject, client }: LimitSubject, now: Date) {
  const { start } = windowOf(rule, now);
  const isApart = rule.mostOfClient !== undefined && client !== undefined;
  return { key: { pk: `LIMIT#${rule.name}#${subject}`, sk: start }, client: isApart ? `of_${client}` : undefined };
}

function increment(limited: LimitSubject, now: Date): Patch {
  const { client } = countOf(limited, now);
  const expires_at = epochSecondsAfter(now, limitCountDays[limited.rule.window]);
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

function tooManyAttempts(rule: LimitRule, now: Date): Refusal {
  const { code = "too_many_requests", reason = "Too many attempts" } = rule;
  const minutes = Math.ceil((windowOf(rule, now).endsAt.getTime() - now.getTime()) / 60_000);
  const wait = minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : `${minutes} min`;
  return new Refusal(code, `${reason}; try again in ${wait}`, { retryAfterSeconds: minutes * 60 });
}

/** 96 bits: no two clients have one name. */
const clientBytes = 12;

/** The subject of a rule by its keyed hash, and that of the client of an address if the rule counts each apart. */
export async function limitSubjectOf(rule: LimitRule, subject: string, address?: string): Promise<LimitSubject> {
  const [hash, client] = await Promise.all([
    subjectOf(rule.name, subject),
    address === undefined ? undefined : clientOfSubject(rule.name, subject, address),
  ]);
  return { rule, subject: hash, ...(client && { client }) };
}

/**
 * Names a subject by a keyed hash: of a rule's name, of `pin` for a login, or of `messages` for a client. A new version of the key
 * begins new counts.
 */
export async function subjectOf(kind: string, subject: string): Promise<string> {
  return (await hmacKey()).sign("throttle", `${kind}|${subject}`);
}

/** Names the client of an address whose messages are counted, the same for all logins (D11). */
export async function clientOfMessages(address: string): Promise<string> {
  return subjectOf("messages", siteOf(address));
}

/** Names the client of an address, apart for each kind and subject, in letters that an attribute's name takes. */
export async function clientOfSubject(kind: string, subject: string, address: string): Promise<string> {
  const key = await hmacKey();
  return key
    .digest("throttle", `${kind}|${subject}|${clientOf(address)}`)
    .subarray(0, clientBytes)
    .toString("hex");
}
