import { randomBytes } from "node:crypto";
import { pinDigits } from "../contract/accounts.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { paces, retry } from "../table/retry.ts";
import { epochSecondsAfter, getItem, type Key, keyOf, queryItems, recordKey } from "../table/table.ts";
import {
  allOf,
  anyOf,
  deleteItemAt,
  isAbsent,
  lacks,
  type TransactionWrite,
  tryUpdate,
  updateIf,
  updateOf,
} from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import { countFailure, findCount, pinRules } from "./limits.ts";
import { type AskedPin, askFor, isRepeated, maySend, type PinAnswer, type TriedPin, tryOf } from "./pin-decisions.ts";

/** A pin as the store keeps it: never the digits, only their keyed hash (D9). */
export interface PinHash {
  /** HMAC-SHA-256 as `HmacKey` signs it. */
  readonly hmac: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
}

/** A hash that no pin fits. A pin has it until a worker makes it, and for an unknown login it stays (D12). */
export const unusablePinHash: PinHash = { hmac: `1.${"A".repeat(43)}`, salt: "A".repeat(22) };

/** The facts that make the pin of a request another than those of all others. */
interface PinSource {
  readonly login: string;
  readonly request_id: string;
  readonly asked_at: string;
  readonly digits: number;
}

/**
 * The pin of a request: digits that the key makes of it, as good as random without the key, leading zeros kept (D9). A
 * request that is processed again, as the answer of the mail service was lost, has the pin that the person may hold already.
 */
export function makePin({ login, request_id, asked_at, digits }: PinSource, key: HmacKey): string {
  const bytes = key.digest("pin-of-request", [login, request_id, asked_at].join("|"));
  return String(bytes.readBigUInt64BE() % 10n ** BigInt(digits)).padStart(digits, "0");
}

/** Hashes a pin for one user, with a fresh salt. */
export function hashPin(pin: string, userId: number, key: HmacKey): PinHash {
  const salt = randomBytes(16).toString("base64url");
  return { hmac: key.sign("pin", pinMessage(pin, userId, salt)), salt };
}

/** The stored hash of a pin if it fits, so that the reset token of a pin that is sent again stays; a fresh one otherwise. */
export function hashOfPin({ hmac, salt }: PinHash, pin: string, userId: number, key: HmacKey): PinHash {
  const isStored = verifyPin(pin, userId, { hmac, salt }, key);
  return isStored ? { hmac, salt } : hashPin(pin, userId, key);
}

/** A pin as people read it: a long one in groups of four digits. */
export function shownPin(pin: string): string {
  return pin.length <= pinDigits ? pin : (pin.match(/.{1,4}/g) ?? []).join(" ");
}

/** Compares a pin with a hash in constant time. */
export function verifyPin(pin: string, userId: number, hash: PinHash, key: HmacKey): boolean {
  return key.verify("pin", pinMessage(pin, userId, hash.salt), hash.hmac);
}

function pinMessage(pin: string, userId: number, salt: string): string {
  return `${userId}|${salt}|${pin}`;
}

/** The pin of a login as the table has it. Its request writes what known and unknown logins have, its worker the rest. */
export interface StoredPin extends StoredItem, TriedPin, PinHash {
  readonly expires_at: number;
  readonly user_id?: number;
  /** Messages of this pin that the stage's ceiling has counted: one more than `sent` if sending failed. */
  readonly counted: number;
  /** Until when a worker may be sending a message, in ISO 8601. */
  readonly held_until?: string;
}

/** The entity of pins. */
export const pins = defineEntity<StoredPin>("pin", ({ pk }) => pk.startsWith("PIN#"));

/** The purpose of a pin: a user's login, or the registration of a login that no user has (D16). */
export type PinKind = "PIN" | "REGISTRATION";

const pinKinds: readonly PinKind[] = ["PIN", "REGISTRATION"];

/** All logins together: their wrong short pins are counted in one place. */
export const allLogins = { rule: "wrongPins", subject: "STAGE" } as const;

/** The item also counts a login's tries and messages of a day, which is over on every clock by then. */
export const pinItemDays = 2;
/** Longer than a worker may run, and shorter than the pause between two messages of a pin. */
export const heldMs = 45_000;
/** The item of a pin that no worker has made. It is as large as one of a known login, so that reading it takes as long (D12). */
const unmade = { ...unusablePinHash, counted: 0 };

/** The key of a login's pin, by the keyed hash of the login. */
export function pinKey(login: string, kind: PinKind): Key {
  return { pk: `PIN#${login}`, sk: kind };
}

/**
 * Access pattern P1: the pin of a request. Of requests at once one makes the pin, and the others find it. 1.5 read units, 1 write
 * unit and a second round trip for a new pin.
 */
export async function askForPin(key: Key, requestId: string, now: Date): Promise<PinAnswer> {
  const [found, wrongPins] = await Promise.all([pins.find(key, { consistent: true }), findCount(allLogins, now)]);
  let before = found;
  return retry(paces.crowd, async () => {
    const answer = askFor(before, requestId, wrongPins, now);
    if (!answer.isNew) return answer;
    const { isWritten, item } = await tryUpdate(key, replaceBy(before, answer.pin));
    if (isWritten) return answer;
    before = item && pins.decode(item);
    return undefined;
  });
}

/** Puts a new pin in place of the one that was read, unless that was tried meanwhile. */
function replaceBy(before: StoredPin | undefined, pin: AskedPin) {
  const where = { request_id: before?.request_id, tries: before?.tries };
  const set = { ...pin, ...unmade, expires_at: expiryOf(pin), schema_version: pins.version };
  return { where, set, remove: ["user_id", "held_until", "sent_for", "spent_at", "spent_from"] };
}

function expiryOf({ valid_to }: AskedPin): number {
  return epochSecondsAfter(new Date(valid_to), pinItemDays);
}

/** Compares the pin that was sent with a stored one, and takes as long if there is none. */
export type PinCompare = (pin: StoredPin | undefined) => boolean;

/** A try of the pins of a login: the keyed hashes of the login and of the client, and the comparison. */
interface PinGuess {
  readonly login: string;
  readonly client: string;
  readonly isRight: PinCompare;
}

/** The right pin, and the end of its counting: true if it may be answered. */
interface RightPin {
  readonly pin: StoredPin | undefined;
  readonly isAdmitted: Promise<boolean>;
}

/**
 * Access pattern P2: tries the pins of a login. The comparison comes before the count, so that the reads of the right pin's user
 * can run beside it; nothing may be answered before the count. 1.5 read units. A wrong short pin costs 2 write units, a right
 * one 1, a long one none.
 */
export async function tryPins({ login, client, isRight }: PinGuess, now: Date): Promise<RightPin> {
  const [stored, wrongPins] = await Promise.all([findPins(login), findCount(allLogins, now)]);
  const tried = stored.map((pin) => ({ pin, kind: tryOf(pin, { wrongPins, client, now }) }));
  const compared = tried.filter(({ kind }) => kind !== "none");
  const matches = compared.length === 0 ? [isRight(undefined)] : compared.map(({ pin }) => isRight(pin));
  const right = compared[matches.indexOf(true)];
  const counted = compared.flatMap(({ pin, kind }) => (kind === "counted" ? [pin] : []));
  return { pin: right?.pin, isAdmitted: countTries(counted, right?.pin, now) };
}

/** Counts a try at each short pin; false if the right one has no tries left. */
async function countTries(short: readonly StoredPin[], right: StoredPin | undefined, now: Date): Promise<boolean> {
  const [counts] = await Promise.all([
    Promise.all(short.map(countTry)),
    right || short.length === 0 ? undefined : countFailure(allLogins, now),
  ]);
  return short.every((pin, at) => pin !== right || counts[at]);
}

async function countTry(pin: StoredPin): Promise<boolean> {
  const ifTriesLeft = { when: "tries < :most", values: { ":most": pinRules.triesADay } };
  const changes = { where: { request_id: pin.request_id }, ...ifTriesLeft, add: { tries: 1 } };
  return (await updateIf(keyOf(pin), changes)) !== undefined;
}

async function findPins(login: string): Promise<StoredPin[]> {
  const items = await queryItems({
    KeyConditionExpression: "pk = :login",
    ExpressionAttributeValues: { ":login": pinKey(login, "PIN").pk },
    ConsistentRead: true,
  });
  return items.map(pins.decode);
}

/** The write that spends a pin, while it is the one that was compared. */
export function spend(pin: StoredPin, spent_from: string, now: Date): TransactionWrite {
  const where = { request_id: pin.request_id, hmac: pin.hmac, spent_at: undefined };
  return { Update: updateOf(keyOf(pin), { where, set: { spent_at: now.toISOString(), spent_from } }) };
}

/** Access pattern P3: true if a pin was spent by this client within the last minute (D13). One read unit. */
export async function wasSpentFrom(pin: StoredPin, client: string, now: Date): Promise<boolean> {
  const found = await pins.find(keyOf(pin), { consistent: true });
  return found !== undefined && found.hmac === pin.hmac && isRepeated(found, client, now);
}

/**
 * Access pattern P4: finds the pin whose message a request has sent, as it is stored; as the request left it if it is not there.
 * Undefined if it was replaced, or if its message is not sent for this request (D11). One read unit.
 */
export async function findPinToSend(key: Key, asked: AskedPin, requestedAt: string): Promise<StoredPin | undefined> {
  const pin = (await pins.find(key, { consistent: true })) ?? {
    ...key,
    ...asked,
    ...unmade,
    expires_at: expiryOf(asked),
  };
  return pin.request_id === asked.request_id && maySend(pin, requestedAt) ? pin : undefined;
}

/**
 * Access pattern P9: holds a pin while its message is sent. Undefined if another worker holds it or has sent a message since it was
 * read, and if the pin was spent or replaced. Stores it if it is not there. One write unit.
 */
export async function holdPin(pin: StoredPin, asked: AskedPin, now: Date): Promise<StoredPin | undefined> {
  const isFree = anyOf(lacks("held_until"), "held_until < :now");
  const isSame = allOf("request_id = :request", "sent = :sent", "valid_to > :now", lacks("spent_at"), isFree);
  const values = { ":request": pin.request_id, ":sent": pin.sent, ":now": now.toISOString() };
  const set = { held_until: new Date(now.getTime() + heldMs).toISOString() };
  const setOnce = { ...asked, ...unmade, expires_at: expiryOf(asked) };
  const held = await updateIf(keyOf(pin), { when: anyOf(isAbsent, isSame), values, set, setOnce });
  return held && pins.decode(held);
}

/** The pin that a worker made for a user, and how many of its messages the ceiling has counted. */
interface MadePin extends PinHash {
  readonly userId: number;
  readonly counted: number;
}

/** Access pattern P5: stores the hash of a pin before it is sent. False if it was spent or replaced. One write unit. */
export async function storePin(held: StoredPin, { userId, ...pin }: MadePin): Promise<boolean> {
  const where = { request_id: held.request_id, spent_at: undefined };
  return (await updateIf(keyOf(held), { where, set: { ...pin, user_id: userId } })) !== undefined;
}

/** Access pattern P6: counts a message that was sent, and lets its pin go, unless it is another one. One write unit. */
export async function keepSent(held: StoredPin, sent_for: string, isProved: boolean): Promise<void> {
  const { sent, messages, proved } = held;
  const set = { sent: sent + 1, messages: messages + 1, proved: proved + Number(isProved), sent_for };
  await updateIf(keyOf(held), { where: { request_id: held.request_id }, set, remove: ["held_until"] });
}

/** Access pattern P10: lets a pin go whose message was not sent, so that the next request has it sent. One write unit. */
export async function releasePin({ request_id, held_until, ...held }: StoredPin): Promise<void> {
  await updateIf(keyOf(held), { where: { request_id, held_until }, remove: ["held_until"] });
}

/** Access pattern P7: forgets the pins of a login and their tries. Two write units. */
export async function forgetPins(login: string): Promise<void> {
  await Promise.all(pinKinds.map((kind) => deleteItemAt(pinKey(login, kind))));
}

const sequenceSk = "SEQUENCE";

/** The entity of sequences, which generate ids; `given` counts them. */
export const sequences = defineEntity<StoredItem & { readonly given: number }>(
  "sequence",
  ({ sk }) => sk === sequenceSk,
);

/** Generated ids start here, so that lower ids are free for imports. */
const firstId = 1_000_000_000;

/** If an id is taken, records of another table's sequence were imported. No ids are taken this much further on. */
const stride = 1_000_000;

/**
 * Access pattern Q1: generates the next id of a user that none has or had lately. Ids may be skipped but are never repeated.
 * One write unit and half a read unit; one write unit more if others' ids were imported.
 */
export async function nextUserId(): Promise<number> {
  const id = await give(1);
  const taken = await getItem(recordKey("USER", id), { withTombstones: true });
  return taken ? give(stride) : id;
}

async function give(ids: number): Promise<number> {
  const item = await updateIf({ pk: "SEQUENCE#USER", sk: sequenceSk }, { add: { given: ids } });
  if (!item) throw new Error("A sequence takes any update");
  return firstId + sequences.decode(item).given - 1;
}
