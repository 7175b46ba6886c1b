import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";

/** How long a pin counts (D9). */
export const pinLifeMinutes = 10;

/** How often a pin may be tried (D10). */
export const triesPerPin = 5;

/** A pin as the store keeps it: never the digits, only their keyed hash (D9). */
export interface PinSeal {
  /** HMAC-SHA-256, base64url. */
  readonly hmac: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
}

/** Six digits from a CSPRNG, uniform, leading zeros kept (D9). */
export function makePin(): string {
  return randomInt(0, 1_000_000).toString().padStart(6, "0");
}

/** When a pin asked for at that moment stops counting. */
export function pinValidTo(requestedAt: Date): Date {
  return new Date(requestedAt.getTime() + pinLifeMinutes * 60_000);
}

/** Seals a pin for one user, with a fresh salt. */
export function sealPin(pin: string, userId: number, key: string): PinSeal {
  const salt = randomBytes(16).toString("base64url");
  return { hmac: pinHmac(pin, userId, salt, key).toString("base64url"), salt };
}

/** Compares a pin with a seal in constant time. */
export function pinFits(pin: string, userId: number, seal: PinSeal, key: string): boolean {
  const expected = Buffer.from(seal.hmac, "base64url");
  const actual = pinHmac(pin, userId, seal.salt, key);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function pinHmac(pin: string, userId: number, salt: string, key: string): Buffer {
  return createHmac("sha256", key).update(`pin|${userId}|${salt}|${pin}`).digest();
}
