import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";

/** How long a pin counts (D9). */
export const pinLifeMinutes = 10;

/** A pin as the store keeps it: never the digits, only their keyed hash (D9). */
export interface PinHash {
  /** HMAC-SHA-256, base64url. */
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
export function hashPin(pin: string, userId: number, key: string): PinHash {
  const salt = randomBytes(16).toString("base64url");
  return { hmac: pinHmac(pin, userId, salt, key).toString("base64url"), salt };
}

/** Compares a pin with a hash in constant time. */
export function verifyPin(pin: string, userId: number, hash: PinHash, key: string): boolean {
  const expected = Buffer.from(hash.hmac, "base64url");
  const actual = pinHmac(pin, userId, hash.salt, key);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function pinHmac(pin: string, userId: number, salt: string, key: string): Buffer {
  return createHmac("sha256", key).update(`pin|${userId}|${salt}|${pin}`).digest();
}
