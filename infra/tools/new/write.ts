import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Texts by file, relative to the checkout. */
export type Texts = ReadonlyMap<string, string>;

/** Writes new files, then edited ones. If one cannot be written, removes and restores the others, and throws. */
export function writeAll(root: string, { added, edited }: { readonly added: Texts; readonly edited: Texts }): void {
  const undo: (() => void)[] = [];
  try {
    for (const [file, text] of added) {
      const path = join(root, file);
      // Created exclusively, so that only files of this call are removed again.
      writeFileSync(path, "", { flag: "wx" });
      undo.push(() => rmSync(path));
      writeFileSync(path, text);
    }
    for (const [file, text] of edited) {
      const path = join(root, file);
      const before = readFileSync(path, "utf8");
      undo.push(() => writeFileSync(path, before));
      writeFileSync(path, text);
    }
  } catch (error) {
    for (const step of undo.toReversed()) step();
    throw error;
  }
}
