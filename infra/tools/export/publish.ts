import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { RecordType } from "../../../shared/contract/records.ts";
import { csvOf } from "./csv.ts";
import { removedLines } from "./exported-lines.ts";
import type { Part } from "./part-file.ts";
import type { PartRecord } from "./part-records.ts";
import { type CsvType, csvTypes, type Selection } from "./selection.ts";

/** Letters that are written at once; between two writes the process can be stopped. */
const chunkLetters = 64 * 1024;

/** A file of an export and the types in it. */
export interface ExportFile {
  readonly path: string;
  /** Where it is written; only who has the part writes there. */
  readonly draft: string;
  readonly types: readonly RecordType[];
}

/** Where the part of an export is kept. */
export function partOf(out: string): string {
  return `${out}.part`;
}

/** The files that an export has: one of lines, or a table for each type. */
export function filesOf(out: string, { types }: Selection, csv: boolean): ExportFile[] {
  if (!csv) return [{ path: out, draft: `${partOf(out)}.draft`, types }];
  const { dir, name, ext } = parse(out);
  return types.map((type) => ({
    path: join(dir, `${name}.${type}${ext || ".csv"}`),
    draft: `${partOf(out)}.${type}.draft`,
    types: [type],
  }));
}

/** What is written, and how far. */
interface PublishOptions {
  readonly part: Part;
  readonly files: readonly ExportFile[];
  readonly selection: Selection;
  readonly csv: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of records and removals written so far. */
  onWritten?(done: number): void;
}

/**
 * Writes the files of an export beside their places, and then puts all of them there: a file is whole or not there. Gives how
 * many records and removals of each type they hold; undefined where it was stopped before.
 */
export async function publish(options: PublishOptions): Promise<Map<RecordType, number> | undefined> {
  const { part, files } = options;
  const counts = new Map<RecordType, number>();
  for (const file of files) if (!(await writeDraft(file, options, counts))) return undefined;
  part.beginPublishing();
  for (const { path, draft } of files) renameSync(draft, path);
  return counts;
}

/** Removes what `publish` leaves where it was stopped. */
export function removeDrafts(files: readonly ExportFile[]): void {
  for (const { draft } of files) rmSync(draft, { force: true });
}

/** The files that are there already. */
export function presentFiles(files: readonly ExportFile[]): string[] {
  return files.map(({ path }) => path).filter((path) => existsSync(path));
}

async function writeDraft(
  file: ExportFile,
  options: PublishOptions,
  counts: Map<RecordType, number>,
): Promise<boolean> {
  const { draft } = file;
  rmSync(draft, { force: true });
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    for (const chunk of chunksOfText(rowsOf(file, options, counts))) {
      writeFileSync(descriptor, chunk);
      options.onWritten?.(sumOf(counts));
      await turn();
      if (options.signal?.aborted) return false;
    }
    fsyncSync(descriptor);
    return true;
  } finally {
    closeSync(descriptor);
  }
}

function* rowsOf({ types }: ExportFile, options: PublishOptions, counts: Map<RecordType, number>): Generator<string> {
  const { part, selection, csv } = options;
  for (const type of types) {
    const { header, row } = formOf(type, csv);
    let count = 0;
    yield header;
    for (const record of part.records(type, type === "notification" && selection.companyId !== undefined)) {
      if (record.lines === "") continue;
      count += 1;
      counts.set(type, count);
      yield row(linesOf(type, record));
    }
  }
}

/** A user who was removed and made again is removed first: what the former one had goes with that. */
function linesOf(type: RecordType, { id, userId, lines, isRemoved, version }: PartRecord): string {
  if (lines === undefined) return removedLines(type, id, userId, version);
  return isRemoved && type === "user" ? `${removedLines(type, id, userId, undefined)}\n${lines}` : lines;
}

function* chunksOfText(texts: Iterable<string>): Generator<string> {
  let waiting = "";
  for (const text of texts) {
    waiting += text;
    if (waiting.length < chunkLetters) continue;
    yield waiting;
    waiting = "";
  }
  yield waiting;
}

function formOf(type: RecordType, csv: boolean) {
  return csv && isCsvType(type) ? csvOf(type) : { header: "", row: (text: string) => `${text}\n` };
}

function isCsvType(type: RecordType): type is CsvType {
  return csvTypes.some((known) => known === type);
}

/** All of some counts. */
function sumOf(counts: ReadonlyMap<RecordType, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
