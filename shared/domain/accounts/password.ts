import { randomBytes, timingSafeEqual } from "node:crypto";
import { normalPassword } from "../../contract/values.ts";
import { type Argon2Cost, deriveArgon2id } from "./argon2id.ts";
import { formatPasswordHash, parsePasswordHash } from "./password-hash.ts";

/** The cost of new hashes (D15). If it rises, each user's hash is renewed at their next sign-in. */
const cost: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };
/** 256 bits: nobody searches so many. */
const hashBytes = 32;
/** 128 bits: no two users have one salt. */
const saltBytes = 16;
/** Argon2 refuses fewer than 8, and fewer than 16 are no work. */
const leastKibibytes = 16;

/**
 * A hash that no password matches, with the cost of new hashes. The password for an unknown login is compared with it
 * (D15).
 */
export const unusableHash = formatPasswordHash(cost, Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

/** Hashes a password with a fresh salt, as a PHC string: Argon2id (D15). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return formatPasswordHash(cost, salt, await deriveArgon2id(normalPassword(password), salt, hashBytes, cost));
}

/**
 * Compares a password with a hash in constant time, at the hash's own cost. False for text that is no such hash. A
 * wrong password does the work of a new hash, so that a user with a cheaper one can hardly be distinguished from an
 * unknown login.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const parsed = parsePasswordHash(stored);
  if (!parsed) return false;
  const { salt, hash } = parsed;
  const actual = await deriveArgon2id(normalPassword(password), salt, hash.length, parsed.cost);
  const fits = timingSafeEqual(hash, actual);
  if (!fits) await spendRest(parsed.cost);
  return fits;
}

/**
 * True if a hash costs less than a new one, and neither its memory nor its passes exceed a new one's: a renewal must
 * not weaken it.
 */
export function isOutdated(stored: string): boolean {
  const parsed = parsePasswordHash(stored);
  if (!parsed) return true;
  const { memory, passes } = parsed.cost;
  return memory <= cost.memory && passes <= cost.passes && memory * passes < cost.memory * cost.passes;
}

/**
 * Does the work that a new hash would take beyond this one: passes over kilobytes. Filling fresh memory takes up to half a
 * pass, on some processors hardly any, so that both together fill as much as a new hash does, or a quarter more.
 */
async function spendRest(spent: Argon2Cost): Promise<void> {
  const missing = cost.memory * cost.passes - spent.memory * spent.passes;
  const mostMemory = Math.max(cost.memory - spent.memory, cost.memory / 4);
  const passes = Math.ceil(missing / mostMemory);
  const memory = Math.floor(missing / passes);
  if (!(memory >= leastKibibytes)) return;
  await deriveArgon2id("", Buffer.alloc(saltBytes), hashBytes, { ...cost, memory, passes });
}
