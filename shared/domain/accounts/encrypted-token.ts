import { decryptText, encryptText } from "../encryption.ts";

const purpose = "refresh-successor";

/**
 * Encrypts the successor of a refresh token under a key that only the predecessor gives: whoever reads the table alone learns
 * neither (D5).
 */
export function encryptSuccessor(successor: string, predecessor: string): string {
  return encryptText(successor, predecessor, purpose);
}

/** Decrypts what `encryptSuccessor` gave; undefined with another predecessor, or where it was tampered with. */
export function decryptSuccessor(encrypted: string, predecessor: string): string | undefined {
  return decryptText(encrypted, predecessor, purpose);
}
