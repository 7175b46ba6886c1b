import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { NeededRight } from "./needed-rights.ts";

export interface RecordedNeed extends NeededRight {
  readonly caller: string;
}

/** A test file that ran; `isWhole` when all of its tests ran and passed. */
export interface RecordedFile {
  readonly file: string;
  readonly isWhole: boolean;
}

const kept = new Set<string>();
const recording = `${crypto.randomUUID()}.jsonl`;

/** Keeps a line for the end of the run, once. */
export function record(about: RecordedNeed | RecordedFile): void {
  const line = `${JSON.stringify(about)}\n`;
  if (kept.has(line)) return;
  kept.add(line);
  appendFileSync(join(inject("recordings"), recording), line);
}

/** The recordings of the test files of this run until now. */
export function readRecordings(): { needs: RecordedNeed[]; files: RecordedFile[] } {
  const directory = inject("recordings");
  const texts = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8").trim());
  const lines = new Set(texts.flatMap((text) => text.split("\n")));
  const all = [...lines].map((line) => JSON.parse(line) as RecordedNeed | RecordedFile);
  return { needs: all.filter((each) => "caller" in each), files: all.filter((each) => "file" in each) };
}
