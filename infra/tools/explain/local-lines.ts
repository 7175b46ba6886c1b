import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isOf, type LogLine, readLine } from "../../local/log-lines.ts";

/** The lines of a request in the log of a local machine, including the previous file. */
export function findLocalLines(directory: string, requestId: string): LogLine[] {
  const files = ["machine.log.1", "machine.log"].map((name) => join(directory, name)).filter(existsSync);
  const texts = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return texts.map((text) => readLine(text, { source: "machine" })).filter((line) => isOf(line, requestId));
}
