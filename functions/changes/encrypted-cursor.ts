import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  cursorInvalid,
  type FilteredList,
  listFingerprint,
  type Page,
  type PagingQuery,
} from "../../shared/run/paging.ts";
import type { HmacKey } from "../../shared/tokens/secrets.ts";

const cipherName = "aes-256-gcm";
/** The nonce of GCM. */
const ivBytes = 12;
/** The whole tag of GCM. */
const tagBytes = 16;

/**
 * Encrypts a text (AES-256-GCM) under a key of 32 bytes. Decryption needs the same `context`. Returns nonce, tag and
 * ciphertext.
 */
function encrypt(text: string, key: Buffer, context: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, key, iv).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
}

/** Decrypts a result of `encrypt`. Undefined with another key or context, or after tampering. */
function decrypt(bytes: Buffer, key: Buffer, context: string): string | undefined {
  try {
    const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const text = decipher.update(bytes.subarray(ivBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** The version of the key, as a whole number. */
const versionBytes = 4;
/** The most bytes that fit into a cursor of 200 characters. */
const mostCursorBytes = 118;

/** A page of a list that is read by cursor alone, and the place that it ends at; undefined where the list does. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Reads the page of a list that is read by cursor alone. `reach` is what of it the caller may see: a cursor holds for no other. */
export async function readByCursor<T>(
  list: FilteredList,
  query: Pick<PagingQuery, "per_page" | "cursor">,
  { reach, key }: { readonly reach: unknown; readonly key: HmacKey },
  read: (below: string | undefined, limit: number) => Promise<CursorPage<T>>,
): Promise<Page<T>> {
  const context = JSON.stringify([listFingerprint(list, query), reach]);
  const below = query.cursor ? decryptCursor(query.cursor, context, key) : undefined;
  if (query.cursor && below === undefined) throw cursorInvalid();
  const { items, next } = await read(below, query.per_page);
  const nextCursor = next === undefined ? undefined : encryptCursor(next, context, key);
  return { items, place: { number: undefined, perPage: query.per_page, nextCursor } };
}

/**
 * A cursor that says nothing to its holder: a place in a list that must not show it, such as one behind a record of another company.
 * It holds for one `context` (D30). Throws on a place of more than 118 bytes.
 */
export function encryptCursor(place: string, context: string, key: HmacKey): string {
  if (Buffer.byteLength(place) > mostCursorBytes) throw new Error("The place does not fit into a cursor");
  const cipher = key.cipherKey("cursor");
  if (!cipher) throw new Error("The HMAC key has no version that signs");
  const version = Buffer.alloc(versionBytes);
  version.writeUInt32BE(cipher.version);
  return Buffer.concat([version, encrypt(place, cipher.key, context)]).toString("base64url");
}

/** The place of a cursor; undefined for one that is malformed, forged, of another context or under a key that is struck out. */
export function decryptCursor(cursor: string, context: string, key: HmacKey): string | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  if (bytes.length < versionBytes || bytes.toString("base64url") !== cursor) return undefined;
  const cipher = key.cipherKey("cursor", bytes.readUInt32BE());
  return cipher && decrypt(bytes.subarray(versionBytes), cipher.key, context);
}
