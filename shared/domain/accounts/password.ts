import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type Argon2Cost, deriveArgon2id } from "./argon2id.ts";
import { formatPasswordHash, type PasswordHash, parsePasswordHash, type ScryptCost } from "./password-hash.ts";

/** What new hashes are made with (D15). Raising it moves every user at their next sign-in. */
const cost: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;

/**
 * A hash that no password fits and that takes as long to compare as the commonest of those that are stored: what an unknown
 * login's password is held against (D15).
 */
export const unusableHash = formatPasswordHash(cost, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

/** Hashes a password with a fresh salt, as a PHC string: Argon2id (D15). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return formatPasswordHash(cost, salt, await deriveArgon2id(normalForm(password), salt, hashBytes, cost));
}

/**
 * Compares a password with a hash in constant time, by what the hash says that it was made with: Argon2id, or scrypt, which
 * nothing is hashed with. False for a text that is no such hash. A wrong password takes no less time than with a hash of
 * today: who has an older one cannot be distinguished from an unknown login.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parsed = parsePasswordHash(stored);
  if (!parsed) return false;
  const actual = await derive(parsed, normalForm(password));
  const fits = timingSafeEqual(parsed.hash, actual);
  if (!fits && parsed.method === "argon2id") await spendRest(parsed.cost);
  return fits;
}

/** True where a hash is by another method, or costs less than a new one would and in no way more: it is never made weaker. */
export function isOutdated(stored: string): boolean {
  const parsed = parsePasswordHash(stored);
  if (parsed?.method !== "argon2id") return true;
  const { memory, passes } = parsed.cost;
  return memory <= cost.memory && passes <= cost.passes && memory * passes < cost.memory * cost.passes;
}

function derive(parsed: PasswordHash, password: string): Promise<Buffer> {
  const { salt, hash } = parsed;
  return parsed.method === "argon2id"
    ? deriveArgon2id(password, salt, hash.length, parsed.cost)
    : deriveScrypt(password, salt, hash.length, parsed.cost);
}

function deriveScrypt(password: string, salt: Buffer, bytes: number, { ln, r, p }: ScryptCost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 2 ** 29 };
  return promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(password, salt, bytes, options);
}

/**
 * Does the work that a hash of today would have taken beyond this one: memory times passes is what takes time, and memory more
 * than passes, so that as few passes as a hash of today's memory allows come nearest.
 */
async function spendRest({ memory, passes }: Argon2Cost): Promise<void> {
  const missing = cost.memory * cost.passes - memory * passes;
  if (missing < 16) return;
  const rest = Math.ceil(missing / cost.memory);
  await deriveArgon2id("", Buffer.alloc(saltBytes), hashBytes, {
    ...cost,
    memory: Math.floor(missing / rest),
    passes: rest,
  });
}

/** Keyboards spell the same letters in different ways, é as one character or two: they are one password. */
function normalForm(password: string): string {
  return password.normalize("NFKC");
}
