import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file whole or not at all, and creates its folder. A reader meanwhile sees the old contents. */
export function writeWholeFile(file: string, contents: string | Uint8Array, mode?: number): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contents, { mode });
  renameSync(draft, file);
}

/** Writes the file unless it has these contents. */
export function writeChangedFile(file: string, contents: Uint8Array): void {
  if (!existsSync(file) || !readFileSync(file).equals(contents)) writeWholeFile(file, contents);
}
