import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Argon2Cost, deriveArgon2id } from "./argon2id.ts";
import { formatPasswordHash, parsePasswordHash } from "./password-hash.ts";

/** What new hashes are made with (D15). Raising it moves every user at their next sign-in. */
const cost: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;

/**
 * A hash that no password fits and that takes as long to compare as those that are stored: the password of an unknown login is
 * compared with it (D15).
 */
export const unusableHash = formatPasswordHash(cost, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

/** Hashes a password with a fresh salt, as a PHC string: Argon2id (D15). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return formatPasswordHash(cost, salt, await deriveArgon2id(normalForm(password), salt, hashBytes, cost));
}

/**
 * Compares a password with a hash in constant time, at the cost that the hash says. False for a text that is no such hash. A
 * wrong password takes no less time than with a hash of today: who has a cheaper one cannot be distinguished from an unknown
 * login.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parsed = parsePasswordHash(stored);
  if (!parsed) return false;
  const { salt, hash } = parsed;
  const actual = await deriveArgon2id(normalForm(password), salt, hash.length, parsed.cost);
  const fits = timingSafeEqual(hash, actual);
  if (!fits) await spendRest(parsed.cost);
  return fits;
}

/** True if a hash costs less than a new one would and in no way more: it is never made weaker. */
export function isOutdated(stored: string): boolean {
  const parsed = parsePasswordHash(stored);
  if (!parsed) return true;
  const { memory, passes } = parsed.cost;
  return memory <= cost.memory && passes <= cost.passes && memory * passes < cost.memory * cost.passes;
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
