import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import type { LineError } from "./line-errors.ts";

/** One screen; the report's file has all of them. */
const shownErrors = 20;

/**
 * Writes the first errors of an import to the screen, and all of them to a file. Deletes the file of an earlier import,
 * and creates the new one with the first error.
 */
export function createErrorReport(path: string, screen: NodeJS.WritableStream) {
  rmSync(path, { force: true });
  let file: number | undefined;
  let count = 0;
  return {
    add(error: LineError): void {
      file ??= openSync(path, "w", 0o600);
      writeSync(file, `${JSON.stringify(error)}\n`);
      count += 1;
      if (count <= shownErrors) screen.write(`${describeError(error)}\n`);
    },
    close(): string {
      if (file === undefined) return "";
      closeSync(file);
      const more = count > shownErrors ? `and ${count - shownErrors} more errors; ` : "";
      return `${more}all errors are in ${path}\n`;
    },
  };
}

/** A field name comes from the file, so control characters are replaced: they could move the cursor. */
function describeError({ line, id, field, value, code, detail }: LineError): string {
  const printable = field.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 100);
  const place = `line ${line}${id === undefined ? "" : ` (id ${id})`}`;
  return `${place}: ${printable ? `${printable}${value === undefined ? "" : ` ${value}`}: ` : ""}${code} — ${detail}`;
}
