import type { HmacKey } from "../../tokens/secrets.ts";

/** The stored form of a passcode: HMAC-SHA-256 over user and passcode, never the digits (D19). */
export function hashPasscode(passcode: string, userId: number, key: HmacKey): string {
  return key.sign("passcode", passcodeMessage(passcode, userId));
}

/** Compares a passcode with a stored hash in constant time. */
export function passcodeFits(passcode: string, userId: number, hash: string, key: HmacKey): boolean {
  return key.verify("passcode", passcodeMessage(passcode, userId), hash);
}

function passcodeMessage(passcode: string, userId: number): string {
  return `${userId}|${passcode}`;
}
