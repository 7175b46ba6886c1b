import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
/** The nonce of GCM. */
const ivBytes = 12;
/** The whole tag of GCM. */
const tagBytes = 16;

/**
 * Encrypts a text (AES-256-GCM) under a key of 32 bytes. Decryption needs the same `context`. Returns nonce, tag and
 * ciphertext.
 */
export function encrypt(text: string, key: Buffer, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts a result of `encrypt`. Undefined with another key or context, or after tampering. */
export function decrypt(bytes: Buffer, key: Buffer, context: string): string | undefined {
  try {
    const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
