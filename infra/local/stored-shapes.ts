import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The number of the shapes in which this code stores items, messages, cursors and secrets. Raise it with each change after
 * which this code cannot read what it stored before. From 1.0.0 on it stays: stored shapes only grow (D38).
 */
export const storedShapes = 10;

/** Writes the number into a new data directory. Throws one sentence if the directory has data of another number; deletes nothing. */
export function requireStoredShapes(data: string): void {
  const file = join(data, "stored-shapes");
  mkdirSync(data, { recursive: true });
  if (readdirSync(data).length === 0) writeFileSync(file, `${storedShapes}\n`);
  const found = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  if (found === String(storedShapes)) return;
  throw new Error(
    `The data in ${data} have stored shapes ${found || "without a number"}, and this code has ${storedShapes}: ` +
      "npm start -- --fresh drops the data.",
  );
}
