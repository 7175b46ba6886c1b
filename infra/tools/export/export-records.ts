import { join, parse } from "node:path";
import type { RecordType } from "../../../shared/contract/records.ts";
import { describeReading } from "../cli/progress-line.ts";
import { csvOf } from "../csv/tables.ts";
import type { DescribedTable } from "./describe-table.ts";
import { requireFree, type TextFile, writeFiles } from "./draft-files.ts";
import { type FoundLines, openFoundLines } from "./found-lines.ts";
import { readRecords } from "./read-records.ts";
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
  /** Stops the export after the work under way. */
  readonly signal?: AbortSignal | undefined;
  readonly pageItems?: number | undefined;
  onProgress?(text: () => string): void;
}

/** The result of an export. */
export interface ExportSummary {
  /** Each record is as it was at one moment between these two, in UTC. */
  readonly begunAt: string;
  readonly readAt: string;
  /** False if it was stopped. Then there are no files. */
  readonly isComplete: boolean;
  readonly files: readonly string[];
  /** The number of records and removals in the files, by type. */
  readonly counts: ReadonlyMap<RecordType, number>;
}

/**
 * Exports records in the order of their ids. Reads the table, keeps the lines in a temporary file, and writes them sorted.
 * Throws if a file of that name is there.
 */
export async function exportRecords(options: ExportOptions): Promise<ExportSummary> {
  const { selection, csv, out, table, segments, signal, pageItems, onProgress } = options;
  const types = new Map(filesOf(out, selection, csv));
  const files = [...types.keys()];
  requireFree(files);
  const begunAt = table.now().toISOString();
  const found = openFoundLines();
  try {
    const began = performance.now();
    let read = 0;
    const onPage = (items: number) => {
      read += items;
      onProgress?.(() => describeReading(read, table.items, performance.now() - began));
    };
    await readRecords({ found, selection, segments, signal, pageItems, onPage });
    const readAt = table.now();
    // Removals that were forgotten while the table was read are missing.
    requireKept(selection, readAt);
    const counts = new Map<RecordType, number>();
    const texts = [...types].map(
      ([path, some]): TextFile => ({
        path,
        texts: rowsOf(some, { found, csv, counts, onProgress }),
      }),
    );
    const isComplete = !signal?.aborted && (await writeFiles(texts, signal));
    return { begunAt, readAt: readAt.toISOString(), isComplete, files, counts };
  } finally {
    found.close();
  }
}

function filesOf(out: string, { types }: Selection, csv: boolean): [string, readonly RecordType[]][] {
  if (!csv) return [[out, types]];
  const { dir, name, ext } = parse(out);
  return types.map((type) => [join(dir, `${name}.${type}${ext || ".csv"}`), [type]]);
}

interface Rows extends Pick<ExportOptions, "csv" | "onProgress"> {
  readonly found: FoundLines;
  readonly counts: Map<RecordType, number>;
}

function* rowsOf(types: readonly RecordType[], { found, csv, counts, onProgress }: Rows): Generator<string> {
  for (const type of types) {
    const { header, row } = csv ? csvOf(type) : { header: "", row: (text: string) => `${text}\n` };
    yield header;
    for (const lines of found.linesOf(type)) {
      counts.set(type, (counts.get(type) ?? 0) + 1);
      yield row(lines);
      onProgress?.(() => `${counts.get(type)} of type ${type} written`);
    }
  }
}
