import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder. A run removes at its end whatever its tests have left among the temporary files. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), "workforce-"));
}
