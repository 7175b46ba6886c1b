import { createHash } from "node:crypto";
import { Refusal } from "../../contract/refusals.ts";
import { normalPassword } from "../../contract/values.ts";
import digests from "./common-passwords.json" with { type: "json" };

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
