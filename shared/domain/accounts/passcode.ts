import { createHmac, timingSafeEqual } from "node:crypto";

/** A passcode as the store keeps it: HMAC-SHA-256 over user and passcode, base64url, never the digits (D19). */
export function hashPasscode(passcode: string, userId: number, key: string): string {
  return passcodeHmac(passcode, userId, key).toString("base64url");
}

/** Compares a passcode with a stored hash in constant time. */
export function passcodeFits(passcode: string, userId: number, hash: string, key: string): boolean {
  const expected = Buffer.from(hash, "base64url");
  const actual = passcodeHmac(passcode, userId, key);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function passcodeHmac(passcode: string, userId: number, key: string): Buffer {
  return createHmac("sha256", key).update(`passcode|${userId}|${passcode}`).digest();
}
