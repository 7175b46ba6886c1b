import type { Work } from "../functions/work-report.ts";
import type { FrontRequest } from "../gateway/http-server.ts";
import { errorLines, outputLines } from "./output-lines.ts";
import { escapeControls, type Style } from "./style.ts";

/**
 * One request for the console: time, method, path, names of the query, status, refusal code, operation, milliseconds
 * and request id. The function's output and error follow below.
 */
export function requestText(request: FrontRequest, now: Date, style: Style): string {
  const { method, path, queryNames, status, code, functionName, milliseconds, requestId, refusedOrigin } = request;
  const names = queryNames.length > 0 ? `?${queryNames.join("&")}` : "";
  const parts = [
    style("dim", timeOf(now)),
    `${method} ${escapeLine(path + names)}`,
    style(lookOf(status), [status, ...(code === undefined ? [] : [code])].join(" ")),
    ...(functionName === undefined ? [] : [functionName]),
    `${milliseconds.toFixed(0)} ms`,
    ...(requestId === undefined ? [] : [style("dim", requestId)]),
  ];
  const refused = refusedOrigin === undefined ? [] : [originLine(refusedOrigin)];
  return [parts.join(" "), ...refused, ...details(request, style)].join("\n");
}

function originLine(origin: string): string {
  return `  The browser keeps this answer from pages of ${escapeLine(origin)}: it is no origin of the stage's, of this machine or of a private network.`;
}

/** One call of a worker for the console, like a request; undefined if it succeeded without readable output. */
export function workText(work: Work, now: Date, style: Style): string | undefined {
  const lines = details(work, style);
  if (lines.length === 0) return undefined;
  const { functionName, records, milliseconds, error } = work;
  const of = records === undefined ? "" : ` with ${records} ${records === 1 ? "record" : "records"}`;
  const failure = error === undefined ? "" : ` ${style("red", "failed, is called again,")}`;
  return [`${style("dim", timeOf(now))} ${functionName}${of}${failure} ${milliseconds.toFixed(0)} ms`, ...lines].join(
    "\n",
  );
}

function details({ output, error }: { output: string; error?: unknown }, style: Style): string[] {
  const lines = [...outputLines(output, style), ...(error === undefined ? [] : errorLines(error, style))];
  return lines.map((line) => `  ${line}`);
}

function escapeLine(text: string): string {
  return escapeControls(text).replaceAll("\n", "\\u000a").replaceAll("\t", "\\u0009");
}

function lookOf(status: number) {
  if (status >= 500) return "red";
  return status >= 400 ? "yellow" : "green";
}

function timeOf(now: Date): string {
  return now.toISOString().slice(11, 19);
}
