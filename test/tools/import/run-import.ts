import { expect } from "vitest";
import { type ImportOptions, importRecords } from "../../../infra/tools/import/import-records.ts";
import type { LineError } from "../../../infra/tools/import/line-errors.ts";
import { writtenAt } from "../../support/records/writes.ts";

/** Lines as a file has them: text and bytes as they are, all else as JSON. */
export async function* streamOf(...lines: readonly (object | string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) {
    yield Buffer.isBuffer(line) ? line : Buffer.from(typeof line === "string" ? line : JSON.stringify(line));
    yield Buffer.from("\n");
  }
}

/** Imports lines; gives the errors in the order in which they were reported, each as "line field code". */
export async function runImport(source: AsyncIterable<Uint8Array>, options: Partial<ImportOptions> = {}) {
  const errors: LineError[] = [];
  const onError = (error: LineError) => void errors.push(error);
  const summary = await importRecords({ source, now: writtenAt, onError, ...options });
  return { summary, errors: errors.map(({ line, field, code }) => `${line} ${field} ${code}`) };
}

/** Imports lines that are all good. */
export async function importLines(lines: readonly (object | string)[]): Promise<void> {
  const { summary, errors } = await runImport(streamOf(...lines));
  expect([summary.failed, errors]).toEqual([0, []]);
}
