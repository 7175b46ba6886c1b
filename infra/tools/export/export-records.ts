import { existsSync } from "node:fs";
import type { RecordType } from "../../../shared/contract/records.ts";
import { openPart, type Part, type PartOptions, PartRefusedError } from "./part-file.ts";
import { type ExportFile, filesOf, partOf, presentFiles, publish, removeDrafts } from "./publish.ts";
import { readRecords } from "./read-records.ts";
import { requireKept, type Selection } from "./selection.ts";
import type { DescribedTable } from "./table-identity.ts";

/** What to export and where to. */
export interface ExportOptions {
  readonly selection: Selection;
  readonly csv: boolean;
  /** The file to make; of tables, each type is put before its ending. */
  readonly out: string;
  readonly table: DescribedTable;
  /** Drops what an interrupted run has read. */
  readonly restarts: boolean;
  readonly now: () => Date;
  /** Stops after what is under way; the same call goes on from there. */
  readonly signal?: AbortSignal | undefined;
  readonly pageItems?: number | undefined;
  onProgress?(step: "read" | "written", done: number, total: number | undefined): void;
}

/** What became of an export. */
export interface ExportSummary {
  /** Each record is as it was at one moment between these, in UTC. */
  readonly begunAt: string;
  readonly readAt: string;
  readonly isResumed: boolean;
  /** False where it was stopped: there are no files. */
  readonly isComplete: boolean;
  readonly files: readonly string[];
  /** How many records and removals of each type are in them. */
  readonly counts: ReadonlyMap<RecordType, number>;
}

/**
 * Exports records in the order of their ids. The table is read into a part beside the file, page by page, and written from
 * there: an interrupted run is continued by the next one without a gap or a double, and memory does not grow with the table.
 * Throws `PartRefusedError` on a part of another table or selection, and where a file would be overwritten.
 */
export async function exportRecords(options: ExportOptions): Promise<ExportSummary> {
  const { selection, csv, out, table, restarts, now } = options;
  const files = filesOf(out, selection, csv);
  const { segments } = table;
  const identity = { form: 1, table: table.identity, segments, selection, csv };
  const place = { path: partOf(out), identity, now: now(), restarts };
  const found = openPart(place);
  const part = isOver(found, files) ? openAfresh(found, place) : found;
  try {
    const present = part.isPublishing ? [] : presentFiles(files);
    if (present.length > 0) {
      if (!part.isResumed) part.remove();
      throw new PartRefusedError(`${present.join(", ")} is there: remove it, or name another file with --out`);
    }
    const summary = await fill(part, files, options);
    if (summary.isComplete) part.remove();
    return summary;
  } finally {
    removeDrafts(files);
    part.close();
  }
}

/** True where an earlier run was killed once its files were in place, and somebody has taken them away. */
function isOver({ isPublishing }: Part, files: readonly ExportFile[]): boolean {
  const isPublished = isPublishing && files.every(({ draft }) => !existsSync(draft));
  return isPublished && files.some(({ path }) => !existsSync(path));
}

function openAfresh(part: Part, place: PartOptions): Part {
  part.remove();
  part.close();
  return openPart(place);
}

async function fill(part: Part, files: readonly ExportFile[], options: ExportOptions): Promise<ExportSummary> {
  const { selection, csv, table, signal, pageItems, now, onProgress } = options;
  const { begunAt, isResumed } = part;
  let read = 0;
  const onPage = (items: number) => {
    read += items;
    onProgress?.("read", read, table.items);
  };
  await readRecords({ part, selection, segments: table.segments, signal, pageItems, onPage });
  const paths = files.map(({ path }) => path);
  const summary = { begunAt, readAt: now().toISOString(), isResumed, isComplete: false, files: paths };
  if (signal?.aborted) return { ...summary, counts: new Map() };
  const readAt = part.endReading(now());
  // What was forgotten while the table was read is missing.
  requireKept(selection, new Date(readAt));
  const total = part.count();
  const onWritten = (done: number) => onProgress?.("written", done, total);
  const counts = await publish({ part, files, selection, csv, signal, onWritten });
  return { ...summary, readAt, isComplete: counts !== undefined, counts: counts ?? new Map() };
}
