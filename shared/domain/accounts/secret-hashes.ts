import type { HmacKey } from "../../tokens/secrets.ts";
import { hashPasscode, passcodeFits } from "./passcode.ts";
import { hashPassword, verifyPassword } from "./password.ts";

/** A user's secrets as sent: null removes one, undefined keeps it (D15, D19). */
interface SentSecrets {
  readonly id: number;
  readonly password?: string | null | undefined;
  readonly passcode?: string | null | undefined;
}

/** A kind of secret. */
export type SecretKind = "password" | "passcode";

/** The hashes of a user's secrets. */
export type SecretHashes = { readonly [Kind in SecretKind as `${Kind}_hash`]?: string | undefined };

/**
 * Returns a function that computes the hashes which sent secrets leave a user with, from the stored ones. An unchanged
 * secret keeps its hash. The function may be called again after a lost race: it hashes and compares each secret only
 * once. Throws on a passcode without the `key` (D19).
 */
export function secretHashes(
  { id, password, passcode }: SentSecrets,
  key: HmacKey | undefined,
): (stored: SecretHashes | undefined) => Promise<SecretHashes> {
  const known = new Map<string | undefined, Promise<string>>();
  const passcodeKey = passcode ? requireKey(key) : undefined;
  return async (stored) => ({
    ...(password !== undefined && {
      password_hash: password ? await passwordHash(stored?.password_hash, password) : undefined,
    }),
    ...(passcode !== undefined && { passcode_hash: passcodeHash(stored?.passcode_hash) }),
  });

  function passcodeHash(stored: string | undefined): string | undefined {
    if (!passcode || !passcodeKey) return undefined;
    if (stored && passcodeFits(passcode, id, stored, passcodeKey)) return stored;
    return hashPasscode(passcode, id, passcodeKey);
  }

  function passwordHash(stored: string | undefined, sent: string): Promise<string> {
    const hash = known.get(stored) ?? compare(stored, sent);
    known.set(stored, hash);
    return hash;
  }

  async function compare(stored: string | undefined, sent: string): Promise<string> {
    if (stored && (await verifyPassword(sent, stored))) return stored;
    return hashPassword(sent);
  }
}

function requireKey(key: HmacKey | undefined): HmacKey {
  if (key === undefined) throw new Error("A passcode is hashed with the HMAC key only");
  return key;
}
