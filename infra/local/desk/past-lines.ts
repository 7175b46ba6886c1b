import { isOf, type LogLine, readLine } from "../log-lines.ts";
import { clip, maskValue } from "./mask.ts";

/** The most characters of a call's output that are kept. */
export const mostOfOutput = 32 * 1024;

/** The lines of a call that are about a request. Lines without an id belong to each request of the call. */
export function linesAbout(lines: readonly LogLine[], requestId: string): LogLine[] {
  return lines.filter(
    (line) => isOf(line, requestId) || !("request_id" in line.fields || "request_ids" in line.fields),
  );
}

/** The log lines in a function's output, without metrics. */
export function linesOf(output: string, source: string): LogLine[] {
  const texts = clipLines(output).split("\n");
  const lines = texts.filter((text) => text.trim() !== "").map((text) => readLine(text, { source, at: Date.now() }));
  const kept = lines.filter(({ fields }) => !("_aws" in fields));
  return kept.map(({ fields, ...line }) => ({ ...line, fields: maskValue(fields) as LogLine["fields"] }));
}

/** Cuts at the end of a line: a cut JSON line would be plain text, whose secrets have no names. */
function clipLines(output: string): string {
  if (output.length <= mostOfOutput) return output;
  const end = output.lastIndexOf("\n", mostOfOutput) + 1;
  return clip(output, end);
}
