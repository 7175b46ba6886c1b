import { findLoginsOf } from "../db/accounts/logins.ts";
import { beginOwnExport, continueOwnExport, cursorOf, type StoredOwnExport } from "../db/accounts/own-exports.ts";
import type { OwnDataLine } from "../db/own-data.ts";
import { firstPlace, ownDataLinesOf, readOwnData } from "../db/own-data-pages.ts";
import type { Caller } from "../domain/caller.ts";
import { Refusal } from "../domain/refusal.ts";
import { requireSession } from "./caller-session.ts";

const recentMs = 10 * 60_000;

/** A page of an export, and the cursor of the next; null after the last. */
export interface OwnExportPage {
  readonly lines: OwnDataLine[];
  readonly cursor: string | null;
}

/**
 * Begins an export of what is held about a caller, in a session that they signed in to within 10 minutes; the insertion of the
 * export notifies them. Refuses as `sign_in_required` (D44).
 */
export async function beginExport(caller: Caller, now: Date): Promise<OwnExportPage> {
  const { account, signedInAt } = await requireSession(caller, now);
  if (signedInAt === undefined || now.getTime() - signedInAt.getTime() > recentMs) {
    throw new Refusal("sign_in_required", "Sign in again: an export begins within 10 minutes of it");
  }
  const begun = await beginOwnExport(account, now);
  const logins = await findLoginsOf(account.user);
  return readPage(begun, firstPlace, ownDataLinesOf(logins));
}

/** Goes on with an export of the caller's from a cursor, in any of their sessions that lives (D44). */
export async function continueExport(caller: Caller, cursor: string, now: Date): Promise<OwnExportPage> {
  await requireSession(caller, now);
  const { found, place } = await continueOwnExport(caller.userId, cursor, now);
  return readPage(found, place);
}

async function readPage(own: StoredOwnExport, from: string, first: readonly OwnDataLine[] = []) {
  const { lines, place } = await readOwnData(own.user_id, from, first);
  return { lines, cursor: place === undefined ? null : cursorOf(own, place) };
}
