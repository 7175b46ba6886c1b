import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts text under a key that is derived from a secret of 32 random bytes, which needs no slow derivation, for one purpose.
 * base64url of nonce, tag and ciphertext.
 */
export function encryptText(text: string, secret: string, purpose: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, keyFrom(secret, purpose), iv);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString("base64url");
}

/** Decrypts what `encryptText` gave; undefined with another secret or purpose, or where it was tampered with. */
export function decryptText(encrypted: string, secret: string, purpose: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64url");
  try {
    const iv = bytes.subarray(0, ivBytes);
    const decipher = createDecipheriv(cipherName, keyFrom(secret, purpose), iv, { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function keyFrom(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
}
