import { randomBytes } from "node:crypto";
import { pinDigits } from "../../contract/accounts.ts";
import type { HmacKey } from "../../tokens/secrets.ts";

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
