import { closeSync, existsSync, fstatSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { StoppedError } from "../cli/command.ts";

/** A write of this many characters; a signal can stop the process between two of them. */
const chunkLetters = 64 * 1024;

/** The result of an export that ended early, and the next step. */
export const noFile = "There is no file. The same command begins again.";

/** Throws `StoppedError` after the signal. */
export function requireUnstopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new StoppedError(`Stopped. ${noFile}`);
}

/** A file to write: its path, and its text in parts. */
export interface TextFile {
  readonly path: string;
  readonly texts: Iterable<string> | AsyncIterable<string>;
}

/** Throws if one of the paths is taken: an export overwrites no file. */
export function requireFree(paths: readonly string[]): void {
  const present = paths.filter((path) => existsSync(path));
  if (present.length > 0) throw new Error(`${present.join(", ")} is there: remove it, or name another file with --out`);
}

/**
 * Writes each file as a draft beside its place, then renames all of them: a file is whole or absent. Only their owner may read
 * them. Overwrites drafts that an interrupted run has left. Throws `StoppedError` after the signal.
 */
export async function writeFiles(files: readonly TextFile[], signal: AbortSignal | undefined): Promise<void> {
  const drafts = new Map<TextFile, number>();
  try {
    for (const file of files) drafts.set(file, openDraft(file));
    for (const [{ texts }, descriptor] of drafts) await write(descriptor, texts, signal);
    requireFree(files.map(({ path }) => path));
    for (const [file, descriptor] of drafts) {
      if (!isOwn(file, descriptor)) throw new Error(`Another export writes to ${file.path}`);
      renameSync(draftOf(file), file.path);
    }
  } finally {
    for (const [file, descriptor] of drafts) {
      if (isOwn(file, descriptor)) rmSync(draftOf(file));
      closeSync(descriptor);
    }
  }
}

function draftOf({ path }: TextFile): string {
  return `${path}.draft`;
}

/** Creates a new draft. So nobody else has it open, and its mode is that of a new file. */
function openDraft(file: TextFile): number {
  rmSync(draftOf(file), { force: true });
  return openSync(draftOf(file), "wx", 0o600);
}

/** False if another run has replaced the draft, or once it has been renamed. */
function isOwn(file: TextFile, descriptor: number): boolean {
  return lstatSync(draftOf(file), { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
}

async function write(descriptor: number, texts: TextFile["texts"], signal: AbortSignal | undefined): Promise<void> {
  let waiting = "";
  for await (const text of texts) {
    requireUnstopped(signal);
    waiting += text;
    if (waiting.length < chunkLetters) continue;
    writeFileSync(descriptor, waiting);
    waiting = "";
    await turn();
  }
  writeFileSync(descriptor, waiting, { flush: true });
}
