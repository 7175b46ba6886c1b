import { type Argon2Parameters, argon2, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

interface Method {
  /** The start of the hash, up to its salt: what it was made with. */
  readonly prefix: string;
  derive(password: string, salt: Buffer): Promise<Buffer>;
}

const hashBytes = 32;
const saltBytes = 16;

const argon2id: Method = {
  prefix: "$argon2id$v=19$m=19456,t=2,p=1$",
  derive(password, salt) {
    const cost = { memory: 19_456, passes: 2, parallelism: 1 };
    const parameters: Argon2Parameters = { message: password, nonce: salt, tagLength: hashBytes, ...cost };
    return promisify(argon2)("argon2id", parameters);
  },
};

const scryptMethod: Method = {
  prefix: "$scrypt$ln=17,r=8,p=1$",
  derive(password, salt) {
    const cost: ScryptOptions = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
    return promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(password, salt, hashBytes, cost);
  },
};

/** A hash that no password fits and that takes as long to compare: what an unknown login's password is held against (D15). */
export const unusableHash = `${(typeof argon2 === "function" ? argon2id : scryptMethod).prefix}${"A".repeat(22)}$${"A".repeat(43)}`;

/** Hashes a password with a fresh salt, as a PHC string: Argon2id, or scrypt where this Node.js has no Argon2 (D15). */
export async function hashPassword(password: string): Promise<string> {
  const method = typeof argon2 === "function" ? argon2id : scryptMethod;
  const salt = randomBytes(saltBytes);
  const hash = await method.derive(normalForm(password), salt);
  return `${method.prefix}${unpadded(salt)}$${unpadded(hash)}`;
}

/** Compares a password with a hash of either kind in constant time; false for a hash of no known kind. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const method = [argon2id, scryptMethod].find(({ prefix }) => stored.startsWith(prefix));
  if (!method) return false;
  const [salt = "", hash = ""] = stored.slice(method.prefix.length).split("$");
  const expected = Buffer.from(hash, "base64");
  const actual = await method.derive(normalForm(password), Buffer.from(salt, "base64"));
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** Keyboards spell the same letters in different ways: é is one character or two. */
function normalForm(password: string): string {
  return password.normalize("NFKC");
}

/** PHC strings carry base64 without padding. */
function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
