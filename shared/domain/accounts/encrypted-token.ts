import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts the successor of a refresh token under a key that only the predecessor gives: whoever reads the table alone learns
 * neither (D5). base64url of nonce, tag and ciphertext.
 */
export function encryptSuccessor(successor: string, predecessor: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, keyFrom(predecessor), iv);
  const ciphertext = Buffer.concat([cipher.update(successor, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString("base64url");
}

/** Decrypts what `encryptSuccessor` gave; undefined with another predecessor, or where it was tampered with. */
export function decryptSuccessor(encrypted: string, predecessor: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64url");
  try {
    const iv = bytes.subarray(0, ivBytes);
    const decipher = createDecipheriv(cipherName, keyFrom(predecessor), iv, { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** A refresh token has 32 random bytes, so that its hash is a key without a slow derivation. */
function keyFrom(predecessor: string): Buffer {
  return Buffer.from(hkdfSync("sha256", predecessor, "", "refresh-successor", 32));
}
