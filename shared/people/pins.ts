import { randomBytes } from "node:crypto";
import { longPinDigits, pinDigits } from "../contract/accounts.ts";
import { defineEntity, type StoredItem } from "../table/entity.ts";
import { epochSecondsAfter, getItem, type Key, recordKey } from "../table/table.ts";
import { deleteItemAt, updateIf } from "../table/writes.ts";
import type { HmacKey } from "../tokens/secrets.ts";
import type { LimitRule } from "./limits.ts";

/** The limits by which more than one flow of a pin decides: asking, sending and confirming (D9, D10, D11). */
export const pinRules = {
  lifeMinutes: 12,
  /** Tries of a login's short pins in a day, right or wrong. */
  triesADay: 20,
  /** Messages that a login is sent in a day before each pin is sent only once. */
  freeMessagesADay: 10,
} as const;

/** Wrong short pins of all logins: above it every pin is long (D10). */
export const wrongPins = {
  name: "wrongPins",
  subjectKind: "stage",
  most: 5_000,
  window: "day",
} as const satisfies LimitRule;

/** All logins together: their wrong short pins are counted in one place. */
export const allLogins = { rule: wrongPins, subject: "STAGE" } as const;

/** The item also counts a login's tries and messages of a day, which is over on every clock by then. */
export const pinItemDays = 2;

/** A pin that was asked for, with the figures of its login's day. Known and unknown logins have the same (D9, D12). */
export interface AskedPin {
  readonly request_id: string;
  readonly asked_at: string;
  readonly valid_to: string;
  readonly digits: number;
  /** The day (UTC) of the figures of the login. */
  readonly day: string;
  /** Messages of the login that were sent. */
  readonly messages: number;
  /** Those of them that a proof had sent. */
  readonly proved: number;
  /** Tries of short pins of the login, right or wrong. */
  readonly tries: number;
  /** Messages of this pin that were sent. */
  readonly sent: number;
}

/** A pin with what became of it. */
export interface TriedPin extends AskedPin {
  /** When the message that was sent last was asked for. */
  readonly sent_for?: string;
  readonly spent_at?: string;
  /** The client that spent it, by a keyed hash. */
  readonly spent_from?: string;
}

/** A pin as the store keeps it: never the digits, only their keyed hash (D9). */
export interface PinHash {
  /** HMAC-SHA-256 as `HmacKey` signs it. */
  readonly hmac: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
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

/** The key of a login's pin, by the keyed hash of the login. */
export function pinKey(login: string, kind: PinKind): Key {
  return { pk: `PIN#${login}`, sk: kind };
}

/** A hash that no pin fits. A pin has it until a worker makes it, and for an unknown login it stays (D12). */
export const unusablePinHash: PinHash = { hmac: `1.${"A".repeat(43)}`, salt: "A".repeat(22) };

/** A pin as its request leaves it, which no worker has made. It is as large as one of a known login, so that reading it takes as long (D12). */
export function unmadePin(asked: AskedPin) {
  const expires_at = epochSecondsAfter(new Date(asked.valid_to), pinItemDays);
  return { ...asked, ...unusablePinHash, counted: 0, expires_at };
}

/** Long pins have no limit; short ones are used up by the tries of their login or by the wrong ones of all logins (D10). */
export function mayTry(pin: Pick<AskedPin, "digits" | "tries">, wrong: number): boolean {
  return isLong(pin) || (!isUsedUp(pin) && wrong < wrongPins.most);
}

/** True for a short pin that the tries of its login have used up: its message would be of no use. */
export function isUsedUp(pin: Pick<AskedPin, "digits" | "tries">): boolean {
  return !isLong(pin) && pin.tries >= pinRules.triesADay;
}

export function isLong({ digits }: Pick<AskedPin, "digits">): boolean {
  return digits === longPinDigits;
}

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

/** Compares a pin with a hash in constant time. */
export function verifyPin(pin: string, userId: number, hash: PinHash, key: HmacKey): boolean {
  return key.verify("pin", pinMessage(pin, userId, hash.salt), hash.hmac);
}

function pinMessage(pin: string, userId: number, salt: string): string {
  return `${userId}|${salt}|${pin}`;
}

/** A pin as people read it: a long one in groups of four digits. */
export function shownPin(pin: string): string {
  return pin.length <= pinDigits ? pin : (pin.match(/.{1,4}/g) ?? []).join(" ");
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
