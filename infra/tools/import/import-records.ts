import type { FieldCode } from "../../../shared/contract/field-faults.ts";
import type { RecordLine } from "../../../shared/contract/records.ts";
import type { UserWriteContext } from "../../../shared/db/accounts/user-writes.ts";
import { writeRecord } from "../../../shared/db/write-record.ts";
import { importParts } from "../../../shared/db/writes/counters.ts";
import { createWriteBatches } from "../../../shared/db/writes/write-batches.ts";
import type { Outcome } from "../../../shared/db/writes/write-plans.ts";
import { beginChange } from "../../../shared/domain/records/change.ts";
import { fieldsInvalid, parseRecordLine, turnOf } from "../../../shared/domain/records/record-line.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { hmacKey } from "../../../shared/secrets.ts";
import { settings } from "../../../shared/settings.ts";
import { carryOut } from "../../../shared/work.ts";
import { patiently } from "../aws/patience.ts";
import { createKeyedQueue } from "../cli/keyed-queue.ts";
import { openDryRunStore } from "./dry-run-store.ts";
import { maxLineBytes, type SourceLine, splitLines } from "./import-lines.ts";
import { openImportRun } from "./import-run.ts";
import { createLineOrder } from "./line-order.ts";

/** The reason why a line was not imported. `field` is a path such as `driver.profile_id`, empty for the whole line. */
export interface LineError {
  readonly line: number;
  readonly field: string;
  readonly code: string;
  readonly detail: string;
}

/** The result of an import: lines by outcome, without blank ones. */
export type ImportSummary = Readonly<Record<Outcome | "failed", number>> & {
  /** Number of the last line read. All lines up to it are done. */
  readonly lastLine: number;
  /** False if it was stopped before the end. */
  readonly isComplete: boolean;
};

/** The progress of an import. */
export interface ImportProgress {
  readonly bytesRead: number;
  /** The last line up to which all are done. */
  readonly doneUpTo: number;
  /** The number of lines done, including failed ones. */
  readonly done: number;
  readonly failed: number;
}

/** The source of an import, and its options. */
export interface ImportOptions {
  readonly source: AsyncIterable<Uint8Array>;
  readonly now: Date;
  /** Name of the file, for the history. */
  readonly file?: string | undefined;
  /** The first line to import; earlier ones are skipped. */
  readonly from?: number;
  /** Notifies the affected users (D25). Without it, the import is silent (D35). */
  readonly notifies?: boolean;
  /** Checks and decides everything like a real run, but writes nothing. */
  readonly dryRun?: boolean;
  /** Most lines in work at once. */
  readonly concurrency?: number;
  /** Stops after the lines in work. */
  readonly signal?: AbortSignal;
  /** Called in the order of the lines. */
  onError?(error: LineError): void;
  onProgress?(progress: ImportProgress): void;
}

/** Default number of lines in work: some are being read or decided, most are being written. */
export const defaultConcurrency = 1_000;

/** The outcome of a line, or its errors. */
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
    now,
    file = "-",
    from = 1,
    notifies = false,
    dryRun = false,
    concurrency = defaultConcurrency,
    signal,
  } = options;
  const counts = { created: 0, updated: 0, unchanged: 0, removed: 0, stale: 0, failed: 0 };
  const dryStore = dryRun ? openDryRunStore() : undefined;
  const begun = beginChange({ operation: "import" });
  const change = { ...begun, by: `import#${begun.id}`, at: now.toISOString() };
  const run = openImportRun(file, change, createWriteBatches(importParts));
  const context = { now, change, notifies, dryRun: dryStore, hmacKey, commit: run.commit };
  const queue = createKeyedQueue(concurrency);
  const order = createLineOrder<LineOutcome>((_, outcome) => {
    counts[typeof outcome === "string" ? outcome : "failed"] += 1;
    if (typeof outcome !== "string") for (const each of outcome) options.onError?.(each);
  });
  const progress = (bytesRead: number): ImportProgress => {
    const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { bytesRead, doneUpTo: order.doneUpTo(), done, failed: counts.failed };
  };
  let lastLine = 0;

  const write = async (line: number, record: RecordLine) => {
    order.end(line, await writeLine(line, record, context));
  };
  try {
    for await (const { number, bytes, bytesRead } of splitLines(source, signal)) {
      if (signal?.aborted) break;
      lastLine = number;
      if (number < from) continue;
      order.begin(number);
      const record = readLine(bytes);
      if (record instanceof Refusal) order.end(number, lineErrors(number, record));
      else await queue.add(turnOf(record), () => write(number, record));
      options.onProgress?.(progress(bytesRead));
    }
    await queue.finish();
  } finally {
    await queue.settle();
    dryStore?.close();
  }
  await patiently(() => run.end(counts));
  return { ...counts, lastLine, isComplete: !signal?.aborted };
}

async function writeLine(line: number, record: RecordLine, context: UserWriteContext): Promise<LineOutcome> {
  try {
    // A run may take hours: each of its writes has a moment of its own.
    const ofLine = () => ({ ...context, change: { ...context.change, at: new Date().toISOString() } });
    return await patiently(() => writeRecord(record, ofLine()));
  } catch (error) {
    return lineErrors(line, error);
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readLine(bytes: SourceLine["bytes"]): RecordLine | Refusal {
  if (bytes === "too_long") return lineFault("line_too_long", `has more than ${maxLineBytes} bytes`);
  try {
    return parseRecordLine(JSON.parse(utf8.decode(bytes)), settings.defaultCountry());
  } catch (error) {
    if (error instanceof Refusal) return error;
    if (error instanceof SyntaxError) return lineFault("malformed_json", "is not JSON");
    if ((error as { code?: unknown }).code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return lineFault("invalid_utf8", "is not UTF-8 text");
    }
    throw error;
  }
}

function lineFault(code: FieldCode, detail: string): Refusal {
  return fieldsInvalid([{ path: [], code, detail }]);
}

/** The errors of a line. Rethrows errors that are not about the line. */
function lineErrors(line: number, error: unknown): LineError[] {
  if (error instanceof Refusal) {
    const { code, message, facts } = error;
    if (!facts.errors) return [{ line, field: "", code, detail: message }];
    return facts.errors.map(({ pointer = "", code, detail }) => ({ line, field: fieldOf(pointer), code, detail }));
  }
  const isRefusedByTable = error instanceof Error && error.name === "ValidationException";
  if (isRefusedByTable) return [{ line, field: "", code: "not_storable", detail: "the table cannot hold it" }];
  throw error;
}

function fieldOf(pointer: string): string {
  return pointer.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
}
