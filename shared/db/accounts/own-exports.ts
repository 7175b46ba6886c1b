import { randomBytes } from "node:crypto";
import { decryptText, encryptText } from "../../domain/encryption.ts";
import { Refusal } from "../../domain/refusal.ts";
import { lastChange } from "../../work.ts";
import { putIf, tryUpdate } from "../table/conditional-writes.ts";
import { defineEntity, type RecordItem } from "../table/entity.ts";
import { epochSecondsAfter } from "../table/expiry.ts";
import type { Key } from "../table/table.ts";
import { firstRevision } from "../writes/changes.ts";
import type { Account } from "./accounts.ts";
import { tooManyRequests } from "./throttles.ts";

/** An export of a user's own data as the table has it (D44). */
export interface StoredOwnExport extends RecordItem {
  readonly user_id: number;
  readonly begun_at: string;
  /** How many of its pages were asked for, each as often as it was. */
  readonly pages: number;
  /** What its cursors are encrypted with. */
  readonly cursor_key: string;
  readonly expires_at: number;
}

/** The entity of exports of users' own data. */
export const ownExports = defineEntity<StoredOwnExport>(
  "own export",
  ({ pk, sk }) => pk.startsWith("USER#") && sk.startsWith("EXPORT#"),
);

/** So many exports a user may begin on a day, in UTC. */
const mostADay = 3;
/** So many pages of an export are answered, repeated ones included: 800 MB. */
const mostPages = 200;
const msPerDay = 86_400_000;
const rememberedDays = 14;
const purpose = "own-export-cursor";

/**
 * Access pattern OE1: begins an export of a user's own data, up to 3 on a day, however many ask at once; refuses others as
 * `too_many_requests`. Its insertion is what the user is notified of (D44). One write unit, one more for each of the day's before.
 */
export async function beginOwnExport({ user }: Account, now: Date): Promise<StoredOwnExport> {
  const userId = user.id;
  const day = now.toISOString().slice(0, 10);
  for (let at = 1; at <= mostADay; at += 1) {
    const begun: StoredOwnExport = {
      ...exportKey(userId, `${day}-${at}`),
      user_id: userId,
      begun_at: now.toISOString(),
      pages: 1,
      cursor_key: randomBytes(32).toString("base64url"),
      revision: firstRevision(),
      change: lastChange(),
      expires_at: epochSecondsAfter(now, rememberedDays),
    };
    const Item = ownExports.encode(begun);
    if (await putIf({ Item, ConditionExpression: "attribute_not_exists(pk)" })) return begun;
  }
  throw tooManyRequests(Date.parse(day) + msPerDay, now, "too_many_requests", "Your data was exported 3 times today");
}

/** A cursor of an export: the place of an item in its user's partition, which nobody else reads, and no other export takes. */
export function cursorOf({ sk, cursor_key }: StoredOwnExport, place: string): string {
  return `${sk.slice("EXPORT#".length)}.${encryptText(place, cursor_key, purpose)}`;
}

/** An export that goes on, and the place that it goes on behind. */
export interface ContinuedExport {
  readonly found: StoredOwnExport;
  readonly place: string;
}

/**
 * Access pattern OE2: counts a page of an export, for 24 hours from its beginning, and gives the place of a cursor. Refuses as
 * `cursor_invalid` what is no cursor of the user's, and as `too_many_requests` what is above the pages of an export. One write unit.
 */
export async function continueOwnExport(userId: number, cursor: string, now: Date): Promise<ContinuedExport> {
  const [, name, encrypted = ""] = /^(\d{4}-\d\d-\d\d-[1-9])\.([\w-]+)$/.exec(cursor) ?? [];
  if (name === undefined) throw cursorInvalid();
  const when = "attribute_exists(pk) AND begun_at > :since AND pages < :most";
  const values = { ":since": new Date(now.getTime() - msPerDay).toISOString(), ":most": mostPages };
  const { isWritten, item } = await tryUpdate(exportKey(userId, name), { when, values, add: { pages: 1 } });
  const found = item && ownExports.decode(item);
  if (found && !isWritten && found.begun_at > values[":since"]) throw usedUp(found, now);
  const place = isWritten && found ? decryptText(encrypted, found.cursor_key, purpose) : undefined;
  if (!found || place === undefined) throw cursorInvalid();
  return { found, place };
}

function usedUp({ begun_at }: StoredOwnExport, now: Date): Refusal {
  const ends = Date.parse(begun_at) + msPerDay;
  return tooManyRequests(ends, now, "too_many_requests", `${mostPages} pages of this export were answered`);
}

function cursorInvalid(): Refusal {
  return new Refusal("cursor_invalid", "The cursor belongs to no export that you began within a day");
}

function exportKey(userId: number, name: string): Key {
  return { pk: `USER#${userId}`, sk: `EXPORT#${name}` };
}
