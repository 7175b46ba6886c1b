import { DatabaseSync } from "node:sqlite";
import type { RecordLine } from "../../../shared/contract/records.ts";
import { Refusal } from "../../../shared/contract/refusals.ts";
import { parseRecordLine, turnOf, writeRecord } from "../../../shared/lines.ts";
import type { UserWriteContext } from "../../../shared/people/write-user.ts";
import { beginChange, type Change } from "../../../shared/run/change.ts";
import { carryOut } from "../../../shared/run/log.ts";
import { settings } from "../../../shared/run/settings.ts";
import { importParts } from "../../../shared/table/counters.ts";
import type { Commit, DryRunStore, Outcome } from "../../../shared/table/plans.ts";
import type { Item } from "../../../shared/table/table.ts";
import { createWriteBatches } from "../../../shared/table/write-batches.ts";
import { hmacKey } from "../../../shared/tokens/secrets.ts";
import { patiently } from "../aws/patience.ts";
import { createKeyedQueue } from "../cli/keyed-queue.ts";
import { type RecordReader, readJsonLines } from "./import-lines.ts";
import { keepImport } from "./import-runs.ts";
import { type GivenLine, type LineError, lineErrors } from "./line-errors.ts";

/** The result of an import: lines by outcome, without blank ones. */
export type ImportSummary = Readonly<Record<Outcome | "failed", number>> & {
  readonly isComplete: boolean;
};

/** The progress of an import. */
export interface ImportProgress {
  readonly bytesRead: number;
  /** The last line up to which all are done. */
  readonly doneUpTo: number;
  readonly failed: number;
}

/** The source of an import, and its options. */
export interface ImportOptions {
  readonly source: AsyncIterable<Uint8Array>;
  /** Reads the records of the source; by default, one JSON object a line. */
  readonly read?: RecordReader;
  readonly now: Date;
  readonly file?: string | undefined;
  /** The first line to import; earlier ones are skipped. */
  readonly from?: number;
  /** Notifies the affected users (D25). Without it, the import is silent (D35). */
  readonly notifies?: boolean;
  /** Checks and decides everything like a real run, but writes nothing. */
  readonly dryRun?: boolean;
  /** Most lines in work at once. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Called in the order of the lines. */
  onError?(error: LineError): void;
  /** Called with each record that is read, before it is written. */
  onRecord?(record: RecordLine): void;
  onProgress?(progress: ImportProgress): void;
}

/** Default number of lines in work: some are being read or decided, most are being written. */
const defaultConcurrency = 1_000;

type LineOutcome = Outcome | readonly LineError[];

/**
 * Imports a stream of JSON lines (D35). Lines of one record are processed in order, others concurrently, and many are
 * written at once. A bad line is reported and blocks nothing else. Throws only if the store itself fails; the import
 * can then be repeated. A run is one change of the history (D41).
 */
export function importRecords(options: ImportOptions): Promise<ImportSummary> {
  return carryOut({ operation: "import" }, () => importLines(options));
}

async function importLines(options: ImportOptions): Promise<ImportSummary> {
  const {
    source,
    read = readJsonLines,
    now,
    file = "-",
    from = 1,
    notifies = false,
    dryRun = false,
    concurrency = defaultConcurrency,
    signal,
  } = options;
  const counts = { created: 0, updated: 0, unchanged: 0, removed: 0, stale: 0, failed: 0 };
  const begun = beginChange({ operation: "import" });
  const change = { ...begun, by: `import#${begun.id}`, at: now.toISOString() };
  const run = openImportRun(file, change, createWriteBatches(importParts));
  const store = dryRun ? openDryRunStore() : undefined;
  const context = { now, change, notifies, dryRun: store, hmacKey, commit: run.commit };
  const queue = createKeyedQueue(concurrency);
  const order = createLineOrder<LineOutcome>(from - 1, (_, outcome) => {
    counts[typeof outcome === "string" ? outcome : "failed"] += 1;
    if (typeof outcome !== "string") for (const each of outcome) options.onError?.(each);
  });
  let bytes = 0;
  const end = (number: number, outcome: LineOutcome) => {
    order.end(number, outcome);
    options.onProgress?.({ bytesRead: bytes, doneUpTo: order.doneUpTo(), failed: counts.failed });
  };
  try {
    for await (const { bytesRead, ...line } of read(source, signal)) {
      // Of a source that was stopped, the last line may be cut off.
      if (signal?.aborted) break;
      const { number } = line;
      bytes = bytesRead;
      if (number < from) continue;
      order.begin(number);
      const record = readRecord(line);
      if (Array.isArray(record)) end(number, record);
      else {
        options.onRecord?.(record);
        await queue.add(turnOf(record), async () => end(number, await writeLine(line, record, context)));
      }
    }
    await queue.finish();
  } finally {
    await queue.settle();
  }
  await patiently(() => run.end(counts));
  return { ...counts, isComplete: !signal?.aborted };
}

async function writeLine(line: GivenLine, record: RecordLine, context: UserWriteContext): Promise<LineOutcome> {
  try {
    // A run may take hours: each of its writes has a moment of its own.
    const ofLine = () => ({ ...context, change: { ...context.change, at: new Date().toISOString() } });
    return await patiently(() => writeRecord(record, ofLine()));
  } catch (error) {
    return lineErrors(line, error);
  }
}

function readRecord(line: GivenLine): RecordLine | LineError[] {
  const { given } = line;
  try {
    if (given instanceof Refusal) throw given;
    return parseRecordLine(given, settings.defaultCountry());
  } catch (error) {
    return lineErrors(line, error);
  }
}

/** The store of a dry run. SQLite moves it to a temporary file as it grows, so a file of any size can be checked. */
function openDryRunStore(): DryRunStore {
  const database = new DatabaseSync("");
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  database.exec("CREATE TABLE items (pk TEXT, sk TEXT, item TEXT NOT NULL, PRIMARY KEY (pk, sk)) WITHOUT ROWID");
  const select = database.prepare("SELECT item FROM items WHERE pk = ? AND sk = ?");
  const replace = database.prepare("REPLACE INTO items VALUES (?, ?, ?)");
  return {
    find({ pk, sk }) {
      const row = select.get(pk, sk);
      return row && (JSON.parse(String(row.item)) as Item | null);
    },
    keep({ pk, sk }, item) {
      replace.run(pk, sk, JSON.stringify(item));
    },
  };
}

/** Most letters of a file's name that the history keeps. */
const mostLetters = 200;

/** The run of an import in the history. It begins with the first write, so an import without changes leaves none. */
function openImportRun(file: string, run: Change, commit: Commit) {
  const about = { file: file.slice(0, mostLetters) };
  let beginning: Promise<void> | undefined;
  // If it fails, the next write tries again, because the table may only be throttling.
  const begin = () =>
    keepImport(run, about).catch((error) => {
      beginning = undefined;
      throw error;
    });
  return {
    /** Commits writes by the given function, once the run is stored. */
    commit: (async (writes, counts) => {
      beginning ??= begin();
      await beginning;
      return commit(writes, counts);
    }) satisfies Commit,
    /** Stores the counts of the lines. After a run that is killed earlier, the history has only its beginning. */
    end: async (counts: Readonly<Record<string, number>>) => {
      if (beginning) await keepImport(run, { ...about, ...counts, ended_at: new Date().toISOString() });
    },
  };
}

/** Reports outcomes in the order of the lines, in whatever order they end. */
function createLineOrder<T>(doneBefore: number, report: (line: number, outcome: T) => void) {
  const begun = new Map<number, { readonly outcome: T } | undefined>();
  let doneUpTo = doneBefore;
  return {
    begin(line: number): void {
      begun.set(line, undefined);
    },
    end(line: number, outcome: T): void {
      begun.set(line, { outcome });
      for (const [first, ended] of begun) {
        if (!ended) return;
        begun.delete(first);
        doneUpTo = first;
        report(first, ended.outcome);
      }
    },
    /** The last line up to which all are done. */
    doneUpTo: () => doneUpTo,
  };
}
