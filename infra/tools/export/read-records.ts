import { inParallel } from "../../../shared/batches.ts";
import type { RecordType } from "../../../shared/contract/records.ts";
import { projectionOf } from "../../../shared/db/table/projections.ts";
import { type Item, scanPages, segmentOf } from "../../../shared/db/table/table.ts";
import { isTombstone, tombstoneMark } from "../../../shared/db/table/tombstones.ts";
import { isChangedSince, isRemadeSince, readRemoval } from "./changed-since.ts";
import { changedLines, type ExportedRecord, readExported, removedLines, wholeLine } from "./exported-lines.ts";
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

/**
 * Reads the whole table and keeps the lines of the selection. Returns the users of the selected company; undefined if none is
 * selected. 1 read unit for every 4 KB of the table.
 */
export async function readRecords(options: ReadOptions): Promise<ReadonlySet<number> | undefined> {
  const { found, selection, segments, signal, pageItems, onPage } = options;
  const scan = { ...scanOf(selection), Limit: pageItems };
  const withTombstones = selection.since !== undefined;
  const members = new Set<number>();
  await inParallel([...Array(segments).keys()], segments, async (segment) => {
    for await (const { items, read } of scanPages({ ...scan, ...segmentOf(segment, segments) }, { withTombstones })) {
      for (const finding of items.flatMap((item) => findingsIn(item, selection))) found.add(finding);
      for (const id of membersOf(items, selection)) members.add(id);
      onPage?.(read);
      if (signal?.aborted) return;
    }
  });
  return selection.companyId === undefined ? undefined : members;
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

function scanOf({ types, companyId, since }: Selection) {
  // Whose a notification is only its user says.
  const wanted = new Set<RecordType>([...types, ...(companyId !== undefined ? (["user"] as const) : [])]);
  const starts = [...wanted].map((type) => keyStarts[type]);
  const isRecord = starts.map((_, at) => `begins_with(#sk, :start${at})`);
  return {
    ...projectionOf(since === undefined ? recordPaths : [...recordPaths, ...changePaths]),
    FilterExpression: isRecord.join(" OR "),
    ExpressionAttributeValues: Object.fromEntries(starts.map((start, at) => [`:start${at}`, start])),
  };
}

function findingsIn(item: Item, selection: Selection): Finding[] {
  const { types, since } = selection;
  if (since !== undefined && isTombstone(item)) {
    const removal = readRemoval(item, since);
    return removal && types.includes(removal.type) ? [removal] : [];
  }
  const record = readExported(item);
  if (!record || !isSelected(record, selection)) return [];
  const { type, id, userId } = record;
  if (since === undefined) return [{ type, id, userId, lines: wholeLine(record) }];
  if (!isChangedSince(item, since)) return [];
  // A user who was removed and made again is removed first: this removes what belonged to the former one.
  const removal = type === "user" && isRemadeSince(item, since) ? `${removedLines(type, id, userId, undefined)}\n` : "";
  return [{ type, id, userId, lines: removal + changedLines(record) }];
}

function isSelected({ type, companyId: owner }: ExportedRecord, { types, companyId }: Selection): boolean {
  return types.includes(type) && (companyId === undefined || owner === undefined || owner === companyId);
}

function membersOf(items: readonly Item[], { companyId }: Selection): number[] {
  if (companyId === undefined) return [];
  const records = items.flatMap((item) => readExported(item) ?? []);
  return records.flatMap((each) => (each.type === "user" && each.companyId === companyId ? [each.id] : []));
}
