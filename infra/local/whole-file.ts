import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file whole or not at all, its folder with it: who reads it meanwhile sees what was there before. */
export function writeWholeFile(file: string, contents: string | Uint8Array, mode?: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contents, { mode });
  renameSync(draft, file);
}

/** The same, unless the file has these contents. */
export function writeChangedFile(file: string, contents: Uint8Array): void {
  if (!existsSync(file) || !readFileSync(file).equals(contents)) writeWholeFile(file, contents);
}
