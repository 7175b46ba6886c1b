import { relative, sep } from "node:path";
import { messageOf } from "../../support/message-of.ts";
import { root } from "../../support/root.ts";
import type { WorkerCall } from "../functions/work-report.ts";
import type { FrontRequest } from "../gateway/http-server.ts";
import { readLine } from "../log-lines.ts";
import { escapeControls, escapeLine, type Style } from "./style.ts";

/** One request as a line for the console. The output and error of its function follow below. */
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
export function workText(work: WorkerCall, now: Date, style: Style): string | undefined {
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

function lookOf(status: number) {
  if (status >= 500) return "red";
  return status >= 400 ? "yellow" : "green";
}

function timeOf(now: Date): string {
  return now.toISOString().slice(11, 19);
}

/** The most that is shown of a call; the log file has the rest. */
const most = { lines: 60, characters: 400 };

function outputLines(output: string, style: Style): string[] {
  const written = output.split("\n").filter((line) => line.trim() !== "");
  const lines = written.flatMap((line) => logLines(line, style));
  const rest = lines.length - most.lines;
  const shown = lines.slice(0, most.lines);
  return rest > 0 ? [...shown, style("dim", `… ${rest} more lines in the log file`)] : shown;
}

function errorLines(error: unknown, style: Style): string[] {
  const { errorType, trace } = error as { errorType?: string; trace?: string };
  const message = messageOf(error);
  const title = (errorType === undefined ? message : `${errorType}: ${message}`).split("\n").map(clip);
  return [...title.map((line) => style("red", line)), ...stackLines(trace ?? "", style)];
}

function logLines(line: string, style: Style): string[] {
  const { fields: read } = readLine(line, { source: "" });
  const { level, message, timestamp: _, stack, error, error_message, ...rest } = read;
  if (typeof level !== "string" || typeof message !== "string") return [clip(line)];
  if (level === "info" && stack === undefined) return [];
  const thrown =
    error === undefined ? "" : ` ${[error, error_message].filter((part) => part !== undefined).join(": ")}`;
  const fields = Object.entries(rest).filter(([name]) => !["operation", "request_id", "impact"].includes(name));
  const shown = fields.map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const look = level === "warn" ? "yellow" : "red";
  const title = clip(`${level} ${message}${thrown}${shown.join("")}`);
  return [style(look, title), ...stackLines(typeof stack === "string" ? stack : "", style)];
}

/** The frames of a stack. Places in the project are relative to it, all others are dimmed. */
function stackLines(stack: string, style: Style): string[] {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.map((frame) => {
    const [, before = "", place = "", after = ""] = /^(.*?\(?)(?:file:\/\/)?(\/[^()]*)(\)?)$/.exec(frame.trim()) ?? [];
    const inProject = relative(root, place);
    const isOwn = /^(functions|shared)\//.test(inProject.split(sep).join("/"));
    if (isOwn) return `  ${clip(`${before}${inProject}${after}`)}`;
    return style("dim", `  ${clip(frame.trim())}`);
  });
}

function clip(line: string): string {
  const rest = line.length - most.characters;
  return escapeControls(
    rest > 0 ? `${line.slice(0, most.characters)}… (${rest} more characters in the log file)` : line,
  );
}
