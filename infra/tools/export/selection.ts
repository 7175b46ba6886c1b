import { type RecordType, recordTypes } from "../../../shared/contract/records.ts";
import { msPerDay } from "../../../shared/contract/values.ts";
import { tombstoneDays } from "../../../shared/table/record-plans.ts";
import { readId, UsageError, unknownWord } from "../cli/command.ts";

/** Which records an export holds. */
export interface Selection {
  /** In the order of the file. */
  readonly types: readonly RecordType[];
  /** The one company whose records and users they are; undefined for all. */
  readonly companyId: number | undefined;
  /** Only what has changed from this moment on, in UTC with milliseconds; undefined for all. */
  readonly since: string | undefined;
}

/** The types that have a form as a table. */
export const csvTypes = ["timesheet", "invoice"] as const;

interface Typed {
  readonly types?: string | undefined;
  readonly company?: string | undefined;
  readonly since?: string | undefined;
  readonly csv: boolean;
}

/** Reads what a call selects. Throws `UsageError` on what is no type, id or moment, and on what does not go together. */
export function readSelection({ types, company, since, csv }: Typed, now: Date): Selection {
  if (csv && since !== undefined) throw new UsageError("--csv has no line for a removal: leave --since out");
  if (company !== undefined && since !== undefined) {
    throw new UsageError("--since and --company do not go together: a removal does not say whose the record was");
  }
  const known: readonly RecordType[] = csv ? csvTypes : recordTypes;
  const named = types?.split(",").map((word) => word.trim()) ?? known;
  for (const word of named) if (!known.some((type) => type === word)) throw unknownWord("type to export", word, known);
  if (since !== undefined && named.includes("notification") && !named.includes("user")) {
    throw new UsageError(
      "--since takes notification together with user: those of a removed user go by the user's line",
    );
  }
  const selection = {
    types: known.filter((type) => named.includes(type)),
    companyId: company === undefined ? undefined : readId("company", company),
    since: since === undefined ? undefined : readMoment(since, now),
  };
  requireKept(selection, now);
  return selection;
}

/** Throws `UsageError` where removals since the moment may be forgotten already. */
export function requireKept({ since }: Pick<Selection, "since">, now: Date): void {
  if (since === undefined || Date.parse(since) >= now.getTime() - tombstoneDays * msPerDay) return;
  throw new UsageError(`Removals are kept for ${tombstoneDays} days: what was removed since ${since} is not known`);
}

/** A moment as ISO 8601 has it; one without a time zone is in UTC. */
function readMoment(typed: string, now: Date): string {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(typed);
  const moment = new Date(form?.[2] && !form[5] ? `${typed}Z` : typed);
  if (!form?.[1]) throw new UsageError("--since takes a moment, such as 2026-11-20 or 2026-11-20T08:30:00Z");
  if (!isDay(form[1]) || Number.isNaN(moment.getTime())) throw new UsageError(`--since: there is no moment ${typed}`);
  if (moment > now) throw new UsageError(`--since takes a moment of the past: ${typed} is still to come`);
  return moment.toISOString();
}

/** True if a `YYYY-MM-DD` is a day of the calendar. */
function isDay(day: string): boolean {
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
}
