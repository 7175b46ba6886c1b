import type { RecordLine } from "../../../shared/contract/records.ts";
import { writeRecord } from "../../../shared/db/write-record.ts";
import type { Outcome } from "../../../shared/db/writes/changes.ts";
import { fieldsInvalid, parseRecordLine } from "../../../shared/domain/records/record-line.ts";
import { Refusal } from "../../../shared/domain/refusal.ts";
import { hmacKey } from "../../../shared/secrets.ts";
import { settings } from "../../../shared/settings.ts";
import { createKeyedQueue } from "../cli/keyed-queue.ts";
import { openDryRunStore } from "./dry-run-store.ts";
import { maxLineBytes, type SourceLine, splitLines } from "./import-lines.ts";

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
  readonly lines: number;
  readonly failed: number;
}

/** What to import and how. */
export interface ImportOptions {
  readonly source: AsyncIterable<Uint8Array>;
  readonly now: Date;
  /** Notifies the affected users (D25); otherwise the import is silent (D35). */
  readonly notifies?: boolean;
  /** Checks and decides everything as a real run would, and writes nothing. */
  readonly dryRun?: boolean;
  /** Most lines worked on at once. */
  readonly concurrency?: number;
  /** Stops after the lines in work. */
  readonly signal?: AbortSignal;
  onError?(error: LineError): void;
  onProgress?(progress: ImportProgress): void;
}

/** Lines worked on at once unless the caller says otherwise. */
export const defaultConcurrency = 24;

/**
 * Imports a stream of JSON lines (D35). Lines of one record are processed in order, others side by side; a bad
 * line is reported and stops nothing else. Throws only when the store itself fails: repeating the import is safe.
 */
export async function importRecords(options: ImportOptions): Promise<ImportSummary> {
  const { source, now, notifies = false, dryRun = false, concurrency = defaultConcurrency, signal } = options;
  const counts = { created: 0, updated: 0, unchanged: 0, removed: 0, stale: 0, failed: 0 };
  const dryStore = dryRun ? openDryRunStore() : undefined;
  const queue = createKeyedQueue(concurrency);
  let lastLine = 0;

  const fail = (line: number, error: unknown) => {
    for (const each of lineErrors(line, error)) options.onError?.(each);
    counts.failed += 1;
  };
  const write = async (line: number, record: RecordLine) => {
    try {
      counts[await writeRecord(record, { now, notifies, dryRun: dryStore, hmacKey })] += 1;
    } catch (error) {
      fail(line, error);
    }
  };
  try {
    for await (const { number, bytes, bytesRead } of splitLines(source, signal)) {
      if (signal?.aborted) break;
      lastLine = number;
      const record = readLine(bytes);
      if (record instanceof Refusal) fail(number, record);
      else await queue.add(queueKeyOf(record), () => write(number, record));
      options.onProgress?.({ bytesRead, lines: number, failed: counts.failed });
    }
    await queue.finish();
  } finally {
    await queue.settle();
    dryStore?.close();
  }
  return { ...counts, lastLine, isComplete: !signal?.aborted };
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

function lineFault(code: string, detail: string): Refusal {
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
