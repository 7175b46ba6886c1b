import { randomBytes } from "node:crypto";
import { pinDigits } from "../../contract/accounts.ts";
import type { HmacKey } from "../hmac-key.ts";
import { admittedAt, type Limit } from "./throttle.ts";

/** How long a pin counts (D9). */
export const pinLifeMinutes = 10;

/** How often a pin may be tried (D10). */
const triesPerPin = 5;

/** How often the pins of a login may be tried without success, over all its pins (D10). */
export const pinTryLimits: readonly Limit[] = [
  { most: 10, withinMinutes: 60 },
  { most: 20, withinMinutes: 24 * 60 },
];

/** So many failed tries in a row close the pin flow of a login (D10). */
const closingStreak = 100;

/** How the live pin of a login stands, and the failed tries of all its pins. */
export interface PinStanding {
  readonly validTo: Date;
  readonly isSpent: boolean;
  /** Tries of this pin. */
  readonly tries: number;
  /** Failed tries of the login that still matter to a limit: moments in milliseconds, oldest first. */
  readonly failures: readonly number[];
  /** Failed tries of the login in a row. */
  readonly streak: number;
}

/** True when a pin may be compared: it counts, and neither it nor its login was tried too often (D9, D10). */
export function mayBeTried({ validTo, isSpent, tries, failures, streak }: PinStanding, now: Date): boolean {
  const isLive = !isSpent && now < validTo && tries < triesPerPin;
  return isLive && !isLockedOut(streak) && admittedAt(failures, pinTryLimits, now.getTime()) <= now.getTime();
}

/** True when a login has failed so often in a row that its pin flow is closed until it succeeds otherwise (D10). */
export function isLockedOut(streak: number): boolean {
  return streak >= closingStreak;
}

/** A pin as the store keeps it: never the digits, only their keyed hash (D9). */
export interface PinHash {
  /** HMAC-SHA-256 as `HmacKey` signs it. */
  readonly hmac: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
}

/** What makes the pin of a request another than those of all others. */
interface PinSource {
  readonly login: string;
  readonly requestId: string;
  readonly requestedAt: Date;
}

/**
 * The pin of a request: digits that the key makes of it, as good as random without the key, leading zeros kept (D9). A
 * request that is processed again, as the answer of the mail service was lost, has the pin that the person may hold already.
 */
export function makePin({ login, requestId, requestedAt }: PinSource, key: HmacKey): string {
  const bytes = key.digest("pin-of-request", [login, requestId, requestedAt.toISOString()].join("|"));
  return String(bytes.readBigUInt64BE() % 10n ** BigInt(pinDigits)).padStart(pinDigits, "0");
}

/** When a pin asked for at that moment stops counting. */
export function pinValidTo(requestedAt: Date): Date {
  return new Date(requestedAt.getTime() + pinLifeMinutes * 60_000);
}

/** Hashes a pin for one user, with a fresh salt. */
export function hashPin(pin: string, userId: number, key: HmacKey): PinHash {
  const salt = randomBytes(16).toString("base64url");
  return { hmac: key.sign("pin", messageOf(pin, userId, salt)), salt };
}

/** Compares a pin with a hash in constant time. */
export function verifyPin(pin: string, userId: number, hash: PinHash, key: HmacKey): boolean {
  return key.verify("pin", messageOf(pin, userId, hash.salt), hash.hmac);
}

function messageOf(pin: string, userId: number, salt: string): string {
  return `${userId}|${salt}|${pin}`;
}
