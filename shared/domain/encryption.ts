import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text (AES-256-GCM) under a key of 32 bytes. Decryption needs the same `context`. Returns nonce, tag and
 * ciphertext.
 */
export function encrypt(text: string, key: Buffer, context = ""): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts a result of `encrypt`. Undefined with another key or context, or after tampering. */
export function decrypt(bytes: Buffer, key: Buffer, context = ""): string | undefined {
  try {
    const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/**
 * Encrypts text for one purpose, under a key derived from a secret of 32 random bytes, which needs no slow derivation.
 * Returns base64url of nonce, tag and ciphertext.
 */
export function encryptText(text: string, secret: string, purpose: string): string {
  return encrypt(text, keyFrom(secret, purpose)).toString("base64url");
}

/** Decrypts a result of `encryptText`. Undefined with another secret or purpose, or after tampering. */
export function decryptText(encrypted: string, secret: string, purpose: string): string | undefined {
  return decrypt(Buffer.from(encrypted, "base64url"), keyFrom(secret, purpose));
}

function keyFrom(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
}
