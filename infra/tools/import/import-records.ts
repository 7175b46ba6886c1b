import type { FieldCode } from "../../../shared/contract/field-faults.ts";
import type { RecordLine } from "../../../shared/contract/records.ts";
import type { UserWriteContext } from "../../../shared/db/accounts/user-writes.ts";
import { writeRecord } from "../../../shared/db/write-record.ts";
import type { Outcome } from "../../../shared/db/writes/changes.ts";
import { fieldsInvalid, parseRecordLine } from "../../../shared/domain/records/record-line.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { hmacKey } from "../../../shared/secrets.ts";
import { settings } from "../../../shared/settings.ts";
import { carryOutCommand } from "../../../shared/work.ts";
import { createKeyedQueue } from "../cli/keyed-queue.ts";
import { openDryRunStore } from "./dry-run-store.ts";
import { maxLineBytes, type SourceLine, splitLines } from "./import-lines.ts";
import { openImportRun } from "./import-run.ts";
import { createLineOrder } from "./line-order.ts";
import { patiently } from "./patience.ts";
import { createWriteBatches } from "./write-batches.ts";

/** Why a line was not imported: `field` is a path such as `driver.profile_id`, empty for the line as a whole. */
export interface LineError {
  readonly line: number;
  readonly field: string;
  readonly code: string;
  readonly detail: string;
}

/** How far an import came; lines by what became of them, without blank ones. */
export type ImportSummary = Readonly<Record<Outcome | "failed", number>> & {
  /** Number of the last line read; all up to it are done. */
  readonly lastLine: number;
  /** False when it was stopped before the end. */
  readonly isComplete: boolean;
};

/** How far an import is. */
export interface ImportProgress {
  readonly bytesRead: number;
  /** The last line that is done, as all before it are. */
  readonly doneUpTo: number;
  /** How many lines are done, those that failed among them. */
  readonly done: number;
  readonly failed: number;
}

/** What to import and how. */
export interface ImportOptions {
  readonly source: AsyncIterable<Uint8Array>;
  readonly now: Date;
  /** Name of the file, for the history. */
  readonly file?: string | undefined;
  /** The first line to import; those before it are passed over. */
  readonly from?: number;
  /** Notifies the affected users (D25); otherwise the import is silent (D35). */
  readonly notifies?: boolean;
  /** Checks and decides everything as a real run would, and writes nothing. */
  readonly dryRun?: boolean;
  /** Most lines worked on at once. */
  readonly concurrency?: number;
  /** Stops after the lines in work. */
  readonly signal?: AbortSignal;
  /** Called in the order of the lines. */
  onError?(error: LineError): void;
  onProgress?(progress: ImportProgress): void;
  /** Called for each line that is written, in no order. */
  onWritten?(line: number, record: RecordLine, outcome: Outcome): void;
}

/** Lines worked on at once unless the caller says otherwise: some to be read, some to be decided, the most to be written. */
export const defaultConcurrency = 1_000;

/** What became of a line. */
type LineOutcome = Outcome | readonly LineError[];

/**
 * Imports a stream of JSON lines (D35). Lines of one record are processed in order, others side by side, and written many
 * at once; a bad line is reported and stops nothing else. Throws only when the store itself fails: repeating the import
 * is safe. A run is one change of the history (D41).
 */
export function importRecords(options: ImportOptions): Promise<ImportSummary> {
  const importing = () => importLines(options);
  return carryOutCommand({ operation: "import" }, (runId) => `import#${runId}`, importing);
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
  const run = openImportRun(file, now, createWriteBatches());
  const context = { now, notifies, dryRun: dryStore, hmacKey, commit: run.commit };
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
    const outcome = await writeLine(line, record, context);
    order.end(line, outcome);
    if (typeof outcome === "string") options.onWritten?.(line, record, outcome);
  };
  try {
    for await (const { number, bytes, bytesRead } of splitLines(source, signal)) {
      if (signal?.aborted) break;
      lastLine = number;
      if (number < from) continue;
      order.begin(number);
      const record = readLine(bytes);
      if (record instanceof Refusal) order.end(number, lineErrors(number, record));
      else await queue.add(queueKeyOf(record), () => write(number, record));
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
    return await patiently(() => writeRecord(record, context));
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

/** What belongs to one user is processed in order: its notifications share one item of counts. */
function queueKeyOf(record: RecordLine): string {
  return record.type === "notification" ? `user#${record.user_id}` : `${record.type}#${record.id}`;
}

/** What is wrong with a line; rethrows errors that are not about the line. */
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
