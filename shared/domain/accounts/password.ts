import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** The start of a hash, up to its salt: what it was made with. */
const prefix = "$argon2id$v=19$m=19456,t=2,p=1$";
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const saltBytes = 16;

/** A hash that no password fits and that takes as long to compare: what an unknown login's password is held against (D15). */
export const unusableHash = `${prefix}${"A".repeat(22)}$${"A".repeat(43)}`;

/** Hashes a password with a fresh salt, as a PHC string: Argon2id (D15). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt);
  return `${prefix}${unpadded(salt)}$${unpadded(hash)}`;
}

/** Compares a password with a hash in constant time; false for a text that is no such hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  if (!stored.startsWith(prefix)) return false;
  const [salt = "", hash = ""] = stored.slice(prefix.length).split("$");
  const expected = Buffer.from(hash, "base64");
  const actual = await derive(password, Buffer.from(salt, "base64"));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** Keyboards spell the same letters in different ways, é as one character or two: they are one password. */
function derive(password: string, salt: Buffer): Promise<Buffer> {
  const message = password.normalize("NFKC");
  return promisify(argon2)("argon2id", { message, nonce: salt, tagLength: hashBytes, ...cost });
}

/** PHC strings carry base64 without padding. */
function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
