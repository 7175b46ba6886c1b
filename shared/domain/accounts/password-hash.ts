import type { Argon2Cost } from "./argon2id.ts";

/** The parts of an Argon2id hash, with its cost. */
export interface PasswordHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
  readonly cost: Argon2Cost;
}

const number = "([1-9][0-9]{0,7})";
const saltAndHash = "([\\w+/]{11,86})\\$([\\w+/]{22,86})";
const form = new RegExp(`^\\$argon2id\\$v=19\\$m=${number},t=${number},p=${number}\\$${saltAndHash}$`);

/** Limits of the cost, so that no stored text can make a function derive for more than 256 MiB. */
const mostKibibytes = 2 ** 18;
/** Eight times those of new hashes. */
const mostPasses = 16;

/** Parses a PHC string. Undefined for other text, or for one that needs more than 256 MiB or 16 passes. */
export function parsePasswordHash(stored: string): PasswordHash | undefined {
  const [, m, t, p, salt = "", hash = ""] = form.exec(stored) ?? [];
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  const isBearable = cost.memory <= mostKibibytes && cost.passes <= mostPasses && cost.memory >= 8 * cost.parallelism;
  return isBearable ? { cost, salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") } : undefined;
}

/** An Argon2id hash as a PHC string, with base64 without padding. */
export function formatPasswordHash({ memory, passes, parallelism }: Argon2Cost, salt: Buffer, hash: Buffer): string {
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${hashText}`;
}
