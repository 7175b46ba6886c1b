import { join, parse } from "node:path";
import type { RecordType } from "../../../shared/contract/records.ts";
import { inParallel } from "../../../shared/run/batches.ts";
import type { Item } from "../../../shared/table/table.ts";
import { isTombstone, scanPages, segmentOf } from "../../../shared/table/table.ts";
import { describeReading } from "../cli/progress-line.ts";
import { csvOf } from "../csv/tables.ts";
import { isChangedSince, isRemadeSince, readRemoval } from "./changed-since.ts";
import type { DescribedTable } from "./describe-table.ts";
import { requireFree, requireUnstopped, writeFiles } from "./draft-files.ts";
import { changedLines, keyStartOf, readExported, removedLines, wholeLine } from "./exported-lines.ts";
import { type FoundLines, type FoundRecord, openFoundLines } from "./found-lines.ts";
import { requireKept, type Selection } from "./selection.ts";

/** The selection, the file and the table of an export. */
export interface ExportOptions {
  readonly selection: Selection;
  readonly csv: boolean;
  /** The file to make. With `csv`, each type has a file of its own with the type before the ending. */
  readonly out: string;
  readonly table: DescribedTable;
  /** The number of segments that are read in parallel. */
  readonly segments: number;
  /** Stops the export, which leaves no files. */
  readonly signal?: AbortSignal | undefined;
  /** Items of a page. Without it, DynamoDB returns pages of 1 MB. */
  readonly pageItems?: number | undefined;
  onProgress?(text: () => string): void;
}

/** The result of an export. */
export interface ExportSummary {
  /** Each record is as it was at one moment between these two, in UTC. */
  readonly begunAt: string;
  readonly readAt: string;
  readonly files: readonly string[];
  /** The number of records and removals in the files, by type. */
  readonly counts: ReadonlyMap<RecordType, number>;
}

/**
 * Exports records in the order of their ids. Reads the table, keeps the lines in a temporary file, and writes them sorted.
 * Throws if a file of that name is there, and `StoppedError` after the signal.
 */
export async function exportRecords(options: ExportOptions): Promise<ExportSummary> {
  const { selection, csv, out, table, signal, onProgress } = options;
  const types = new Map(filesOf(out, selection, csv));
  const files = [...types.keys()];
  requireFree(files);
  const begunAt = table.now().toISOString();
  const found = openFoundLines();
  try {
    const began = performance.now();
    let read = 0;
    const members = await readRecords(found, options, (items) => {
      read += items;
      onProgress?.(() => describeReading(read, table.items, performance.now() - began));
    });
    const readAt = table.now();
    // Removals that were forgotten while the table was read are missing.
    requireKept(selection, readAt);
    const counts = new Map<RecordType, number>();
    const rows = { found, members, csv, counts, onProgress };
    const texts = [...types].map(([path, some]) => ({ path, texts: rowsOf(some, rows) }));
    await writeFiles(texts, signal);
    return { begunAt, readAt: readAt.toISOString(), files, counts };
  } finally {
    found.close();
  }
}

/** Returns the users of the selected company; undefined if none is selected. 1 read unit for every 4 KB of the table. */
async function readRecords(
  found: FoundLines,
  { selection, segments, signal, pageItems }: ExportOptions,
  onPage: (items: number) => void,
): Promise<ReadonlySet<number> | undefined> {
  const scan = { ...scanOf(selection), Limit: pageItems };
  const withTombstones = selection.since !== undefined;
  const members = selection.companyId === undefined ? undefined : new Set<number>();
  await inParallel([...Array(segments).keys()], segments, async (segment) => {
    for await (const { items, read } of scanPages({ ...scan, ...segmentOf(segment, segments) }, { withTombstones })) {
      for (const finding of items.flatMap((item) => findingsIn(item, selection, members))) found.add(finding);
      onPage(read);
      requireUnstopped(signal);
    }
  });
  return members;
}

function scanOf({ types, companyId }: Selection) {
  // Whose a notification is only its user says.
  const wanted = new Set<RecordType>([...types, ...(companyId === undefined ? [] : (["user"] as const))]);
  // Other items are read, and not transferred.
  const starts = [...wanted].map(keyStartOf);
  return {
    FilterExpression: starts.map((_, at) => `begins_with(sk, :start${at})`).join(" OR "),
    ExpressionAttributeValues: Object.fromEntries(starts.map((start, at) => [`:start${at}`, start])),
  };
}

function findingsIn(item: Item, { companyId, since }: Selection, members?: Set<number>): FoundRecord | FoundRecord[] {
  if (since !== undefined && isTombstone(item)) {
    return readRemoval(item, since) ?? [];
  }
  const record = readExported(item);
  if (!record) return [];
  const { type, id, userId, companyId: owner } = record;
  if (companyId !== undefined && owner !== undefined && owner !== companyId) return [];
  if (type === "user") members?.add(id);
  if (since === undefined) return { type, id, userId, lines: wholeLine(record) };
  if (!isChangedSince(item, since)) return [];
  // A user who was removed and made again is removed first: this removes what belonged to the former one.
  const removal = type === "user" && isRemadeSince(item, since) ? `${removedLines(record, undefined)}\n` : "";
  return { type, id, userId, lines: removal + changedLines(record) };
}

function filesOf(out: string, { types }: Selection, csv: boolean): [string, readonly RecordType[]][] {
  if (!csv) return [[out, types]];
  const { dir, name, ext } = parse(out);
  return types.map((type) => [join(dir, `${name}.${type}${ext || ".csv"}`), [type]]);
}

interface Rows extends Pick<ExportOptions, "csv" | "onProgress"> {
  readonly found: FoundLines;
  /** The users whose notifications are wanted; undefined for all. */
  readonly members: ReadonlySet<number> | undefined;
  readonly counts: Map<RecordType, number>;
}

function* rowsOf(types: readonly RecordType[], { found, members, csv, counts, onProgress }: Rows): Generator<string> {
  for (const type of types) {
    const { header, row } = csv ? csvOf(type) : { header: "", row: (text: string) => `${text}\n` };
    yield header;
    for (const lines of found.linesOf(type, type === "notification" ? members : undefined)) {
      counts.set(type, (counts.get(type) ?? 0) + 1);
      yield row(lines);
      onProgress?.(() => `${counts.get(type)} of type ${type} written`);
    }
  }
}
