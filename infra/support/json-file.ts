import { existsSync, readFileSync } from "node:fs";
import { writeWholeFile } from "./whole-file.ts";

/** A value kept in a JSON file that only its owner may read; without a file it stays in memory. */
export interface JsonFile<T> {
  value: T;
  save(): void;
}

/** The value of a JSON file; undefined if there is no file. */
export function readJsonFile<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : undefined;
}

/** Opens the file. Without one, the value is `initial`. */
export function openJsonFile<T>(file: string | undefined, initial: T): JsonFile<T> {
  const value = (file && readJsonFile<T>(file)) || initial;
  return { value, save: () => file && writeJsonFile(file, value) };
}

/** Writes the file whole or not at all, mode 0600. */
export function writeJsonFile(file: string, value: unknown): void {
  writeWholeFile(file, `${JSON.stringify(value)}\n`, 0o600);
}
