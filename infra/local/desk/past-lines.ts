import { isOf, type LogLine, readLine } from "../log-lines.ts";
import { clip, maskValue } from "./mask.ts";

/** The most that is kept of what a call wrote, in characters. */
export const mostOfOutput = 32 * 1024;

/** The lines of a call that are about a request; those without an id belong to each request of the call. */
export function linesAbout(lines: readonly LogLine[], requestId: string): LogLine[] {
  return lines.filter(
    (line) => isOf(line, requestId) || !("request_id" in line.fields || "request_ids" in line.fields),
  );
}

/** What a function wrote, without its metrics. */
export function linesOf(output: string, source: string): LogLine[] {
  const texts = clipLines(output).split("\n");
  const lines = texts.filter((text) => text.trim() !== "").map((text) => readLine(text, { source, at: Date.now() }));
  const kept = lines.filter(({ fields }) => !("_aws" in fields));
  return kept.map(({ fields, ...line }) => ({ ...line, fields: maskValue(fields) as LogLine["fields"] }));
}

/** Whole lines alone: the half of a line of JSON would be text, whose secrets have no names. */
function clipLines(output: string): string {
  if (output.length <= mostOfOutput) return output;
  const end = output.lastIndexOf("\n", mostOfOutput) + 1;
  return clip(output, end);
}
