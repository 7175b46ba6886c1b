import type { Argon2Cost } from "./argon2id.ts";

/** A password's hash taken apart, with what it was made by. */
export type PasswordHash = { readonly salt: Buffer; readonly hash: Buffer } & (
  | { readonly method: "argon2id"; readonly cost: Argon2Cost }
  | { readonly method: "scrypt"; readonly cost: ScryptCost }
);

/** What a derivation by scrypt costs: N is 2 to the power of `ln`. */
export interface ScryptCost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

const number = "([1-9][0-9]{0,7})";
const saltAndHash = "([\\w+/]{11,86})\\$([\\w+/]{22,86})";
const argon2idForm = new RegExp(`^\\$argon2id\\$v=19\\$m=${number},t=${number},p=${number}\\$${saltAndHash}$`);
const scryptForm = new RegExp(`^\\$scrypt\\$ln=${number},r=${number},p=${number}\\$${saltAndHash}$`);

/** No stored text makes a function derive for more than this: 256 MiB. */
const mostKibibytes = 2 ** 18;
const mostPasses = 16;

/** Takes a PHC string apart; undefined for a text that is none, or asks for more than 256 MiB or 16 passes. */
export function parsePasswordHash(stored: string): PasswordHash | undefined {
  const [, m, t, p, ...ofArgon2id] = argon2idForm.exec(stored) ?? [];
  if (m) {
    const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
    const isBearable = cost.memory <= mostKibibytes && cost.passes <= mostPasses && cost.memory >= 8 * cost.parallelism;
    return isBearable ? { method: "argon2id", cost, ...bytesOf(ofArgon2id) } : undefined;
  }
  const [, ln, r, parallel, ...ofScrypt] = scryptForm.exec(stored) ?? [];
  if (!ln) return undefined;
  const cost = { ln: Number(ln), r: Number(r), p: Number(parallel) };
  const isBearable = cost.ln < 32 && (2 ** cost.ln * cost.r) / 8 <= mostKibibytes && cost.p <= mostPasses;
  return isBearable ? { method: "scrypt", cost, ...bytesOf(ofScrypt) } : undefined;
}

/** A hash by Argon2id as a PHC string, whose base64 has no padding. */
export function formatPasswordHash({ memory, passes, parallelism }: Argon2Cost, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${hashText}`;
}

function bytesOf([salt = "", hash = ""]: readonly (string | undefined)[]) {
  return { salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}
