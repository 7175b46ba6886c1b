import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Refusal } from "../contract/refusals.ts";
import { normalPassword } from "../contract/values.ts";
import { type Argon2Cost, deriveArgon2id } from "./argon2id.ts";
import digests from "./common-passwords.json" with { type: "json" };
import type { LimitRule } from "./limits.ts";

/** The passwords of a day by a client with a proof (D15). */
export const knownPasswordRule = {
  name: "knownPassword",
  subjectKind: "proof",
  most: 10,
  window: "day",
} as const satisfies LimitRule;

/** Bytes of the SHA-256 that identify a common password. About one of 4,000 other passwords is mistaken for one. */
const digestBytes = 3;

/** Refuses a password that many people use, naming its field (D15). */
export function requireUncommon(password: string, pointer: string): void {
  // A change of case adds nothing.
  const digest = createHash("sha256").update(normalPassword(password).toLowerCase()).digest();
  if (!commonDigests().has(digestAt(digest, 0))) return;
  const detail = "is one that many people use; choose another";
  throw new Refusal("fields_invalid", `Invalid: ${pointer}`, { errors: [{ pointer, code: "common", detail }] });
}

let known: Set<number> | undefined;

/**
 * The digests of the 4,000 most common passwords of 8 characters or more. Sign-in takes 60 wrong passwords a day, so
 * trying them all takes two months. Source: @zxcvbn-ts/language-common 4.1.3, list "passwords-common". A test compares
 * both, and `npm test -- common-passwords -u` writes the file.
 */
function commonDigests(): Set<number> {
  if (known) return known;
  const bytes = Buffer.from(digests, "base64");
  known = new Set(Array.from({ length: bytes.length / digestBytes }, (_, at) => digestAt(bytes, at * digestBytes)));
  return known;
}

function digestAt(bytes: Buffer, offset: number): number {
  return bytes.readUIntBE(offset, digestBytes);
}

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
function parsePasswordHash(stored: string): PasswordHash | undefined {
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
