import { Refusal } from "../../../shared/contract/refusals.ts";
import { parseRecordLine, writeRecord } from "../../../shared/lines.ts";
import type { Outcome, WriteContext } from "../../../shared/table/plans.ts";
import type { Item, Key } from "../../../shared/table/table.ts";
import { getItem } from "../../../shared/table/table.ts";
import { hmacKey } from "../../../shared/tokens/secrets.ts";
import { testContext } from "./contexts.ts";
import { isCallerLine } from "./records.ts";
import { openTestSession } from "./sessions.ts";

/** The moment at which test lines are written. */
export const writtenAt = new Date("2026-05-10T12:00:00.000Z");

/** Validates and writes one line, as import and event bus do, and of a caller as `store` does; undefined fields are not sent. */
export async function write(line: object, context: Partial<WriteContext> = {}): Promise<Outcome> {
  const sent: unknown = JSON.parse(JSON.stringify(line));
  const outcome = await writeRecord(parseRecordLine(sent, "GB"), { ...testContext(writtenAt), hmacKey, ...context });
  if (isCallerLine(line)) await openTestSession(line.id);
  return outcome;
}

/** The fields a piece of work is refused for, as "pointer code"; the refusal's own code where it names no field. */
export async function faultsOf(work: () => unknown): Promise<string[]> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.facts.errors?.map(({ pointer, code }) => `${pointer} ${code}`) ?? [error.code];
  }
  return [];
}

/** An item as it is stored now. */
export function readItem(key: Key): Promise<Item | undefined> {
  return getItem(key, { consistent: true });
}

/** The record or the tombstone that is stored in a place now. */
export function readPlace(key: Key): Promise<Item | undefined> {
  return getItem(key, { consistent: true, withTombstones: true });
}
