import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipherName = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts a text (AES-256-GCM) under a key of 32 bytes. Whoever decrypts it must know `context` as well; nonce, tag and ciphertext. */
export function encrypt(text: string, key: Buffer, context = ""): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts what `encrypt` gave; undefined with another key or context, or where it was tampered with. */
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
 * Encrypts text under a key that is derived from a secret of 32 random bytes, which needs no slow derivation, for one purpose.
 * base64url of nonce, tag and ciphertext.
 */
export function encryptText(text: string, secret: string, purpose: string): string {
  return encrypt(text, keyFrom(secret, purpose)).toString("base64url");
}

/** Decrypts what `encryptText` gave; undefined with another secret or purpose, or where it was tampered with. */
export function decryptText(encrypted: string, secret: string, purpose: string): string | undefined {
  return decrypt(Buffer.from(encrypted, "base64url"), keyFrom(secret, purpose));
}

function keyFrom(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
}
