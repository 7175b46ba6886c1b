import { randomBytes, randomInt } from "node:crypto";
import type { HmacKey } from "../hmac-key.ts";

/** How long a pin counts (D9). */
export const pinLifeMinutes = 10;

/** A pin as the store keeps it: never the digits, only their keyed hash (D9). */
export interface PinHash {
  /** HMAC-SHA-256 as `HmacKey` signs it. */
  readonly hmac: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
}

/** A hash that no pin fits: what a pin for an unknown login is held against (D12). */
export const unusablePinHash: PinHash = { hmac: "A".repeat(43), salt: "A".repeat(22) };

/** So many digits from a CSPRNG, uniform, leading zeros kept (D9). */
export function makePin(digits: number): string {
  return randomInt(0, 10 ** digits)
    .toString()
    .padStart(digits, "0");
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
