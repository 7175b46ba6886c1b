import { hkdfSync } from "node:crypto";
import { decrypt, encrypt } from "../encryption.ts";

/**
 * Encrypts the successor of a refresh token under a key that only the predecessor gives: whoever reads the table alone learns
 * neither (D5). base64url of nonce, tag and ciphertext.
 */
export function encryptSuccessor(successor: string, predecessor: string): string {
  return encrypt(successor, keyFrom(predecessor)).toString("base64url");
}

/** Decrypts what `encryptSuccessor` gave; undefined with another predecessor, or where it was tampered with. */
export function decryptSuccessor(encrypted: string, predecessor: string): string | undefined {
  return decrypt(Buffer.from(encrypted, "base64url"), keyFrom(predecessor));
}

/** A refresh token has 32 random bytes, so that its hash is a key without a slow derivation. */
function keyFrom(predecessor: string): Buffer {
  return Buffer.from(hkdfSync("sha256", predecessor, "", "refresh-successor", 32));
}
