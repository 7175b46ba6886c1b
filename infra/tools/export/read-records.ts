import { inParallel } from "../../../shared/batches.ts";
import type { RecordType } from "../../../shared/contract/records.ts";
import { projectionOf } from "../../../shared/db/table/projections.ts";
import { type Item, scanPages, segmentOf } from "../../../shared/db/table/table.ts";
import { isTombstone, tombstoneMark } from "../../../shared/db/table/tombstones.ts";
import { isChangedSince, isRemadeSince, readRemoval } from "./changed-since.ts";
import { changedLines, readExported, removedLines, wholeLine } from "./exported-lines.ts";
import type { Finding, FoundLines } from "./found-lines.ts";
import type { Selection } from "./selection.ts";

interface ReadOptions {
  readonly found: FoundLines;
  readonly selection: Selection;
  readonly segments: number;
  readonly signal?: AbortSignal | undefined;
  /** Items of a page. Without it, DynamoDB returns pages of 1 MB. */
  readonly pageItems?: number | undefined;
  onPage?(items: number): void;
}

/** Reads the whole table and keeps the lines of the selection. 1 read unit for every 4 KB of the table. */
export async function readRecords(options: ReadOptions): Promise<void> {
  const { found, selection, segments, signal, pageItems, onPage } = options;
  const scan = { ...scanOf(selection), Limit: pageItems };
  const withTombstones = selection.since !== undefined;
  await inParallel([...Array(segments).keys()], segments, async (segment) => {
    for await (const { items, read } of scanPages({ ...scan, ...segmentOf(segment, segments) }, { withTombstones })) {
      for (const finding of items.flatMap((item) => findingsIn(item, selection))) found.add(finding);
      onPage?.(read);
      if (signal?.aborted) return;
    }
  });
}

/** The beginnings of sort keys. Of other items than these nothing is transferred, though all are read. */
const keyStarts = {
  company: "COMPANY",
  user: "USER",
  timesheet: "TIMESHEET",
  invoice: "INVOICE",
  job: "JOB",
  notification: "NOTIFICATION#",
} as const satisfies Record<RecordType, string>;

const recordPaths = [
  "pk",
  "sk",
  "schema_version",
  "id",
  "name",
  "company_id",
  "user_id",
  "record",
  "version",
  tombstoneMark,
];
const changePaths = ["revision", "change", "erased_at", "removed_before"];

function scanOf({ types, since }: Selection) {
  const starts = types.map((type) => keyStarts[type]);
  const isRecord = starts.map((_, at) => `begins_with(#sk, :start${at})`);
  return {
    ...projectionOf(since === undefined ? recordPaths : [...recordPaths, ...changePaths]),
    FilterExpression: isRecord.join(" OR "),
    ExpressionAttributeValues: Object.fromEntries(starts.map((start, at) => [`:start${at}`, start])),
  };
}

function findingsIn(item: Item, { types, since }: Selection): Finding[] {
  if (since !== undefined && isTombstone(item)) {
    const removal = readRemoval(item, since);
    return removal && types.includes(removal.type) ? [removal] : [];
  }
  const record = readExported(item);
  if (!record) return [];
  const { type, id, userId } = record;
  if (since === undefined) return [{ type, id, userId, lines: wholeLine(record) }];
  if (!isChangedSince(item, since)) return [];
  // A user who was removed and made again is removed first: this removes what belonged to the former one.
  const removal = type === "user" && isRemadeSince(item, since) ? `${removedLines(record, undefined)}\n` : "";
  return [{ type, id, userId, lines: removal + changedLines(record) }];
}
