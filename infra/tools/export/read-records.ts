import { inParallel } from "../../../shared/batches.ts";
import type { RecordType } from "../../../shared/contract/records.ts";
import { type Item, scanPages, segmentOf } from "../../../shared/db/table/table.ts";
import { isTombstone } from "../../../shared/db/table/tombstones.ts";
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
      for (const finding of items.flatMap((item) => findingsIn(item, selection.since))) found.add(finding);
      onPage?.(read);
      if (signal?.aborted) return;
    }
  });
}

/** The beginnings of sort keys. Other items are read, and not transferred. */
const keyStarts = {
  company: "COMPANY",
  user: "USER",
  timesheet: "TIMESHEET",
  invoice: "INVOICE",
  job: "JOB",
  notification: "NOTIFICATION#",
} as const satisfies Record<RecordType, string>;

function scanOf({ types }: Selection) {
  const starts = types.map((type) => keyStarts[type]);
  return {
    FilterExpression: starts.map((_, at) => `begins_with(sk, :start${at})`).join(" OR "),
    ExpressionAttributeValues: Object.fromEntries(starts.map((start, at) => [`:start${at}`, start])),
  };
}

function findingsIn(item: Item, since: string | undefined): Finding | Finding[] {
  if (since !== undefined && isTombstone(item)) {
    return readRemoval(item, since) ?? [];
  }
  const record = readExported(item);
  if (!record) return [];
  const { type, id, userId } = record;
  if (since === undefined) return { type, id, userId, lines: wholeLine(record) };
  if (!isChangedSince(item, since)) return [];
  // A user who was removed and made again is removed first: this removes what belonged to the former one.
  const removal = type === "user" && isRemadeSince(item, since) ? `${removedLines(record, undefined)}\n` : "";
  return { type, id, userId, lines: removal + changedLines(record) };
}
