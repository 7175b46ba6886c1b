import type { LogLine } from "../../local/log-lines.ts";
import type { StackMapper } from "./mapped-stacks.ts";

/** Fields that the line's beginning already says or that are equal in all lines of a story, and clients' addresses. */
const unsaid = new Set(
  ["level", "message", "timestamp", "time", "operation", "build", "request_id", "request_ids", "stack", "type"].concat([
    "record",
    "source_ip",
  ]),
);

/** The log lines of a request as a story, oldest first, with stacks mapped to the sources. */
export function describeStory(lines: readonly LogLine[], mapper: StackMapper): string {
  const sorted = lines.toSorted((one, other) => one.at - other.at);
  const width = Math.max(0, ...sorted.map(({ source }) => source.length));
  return sorted.map((line) => describeLine(line, width, mapper)).join("");
}

function describeLine({ at, source, fields }: LogLine, width: number, mapper: StackMapper): string {
  const { level = "info", message, type, record, request_ids, stack } = fields;
  const requests = Array.isArray(request_ids) ? [`(of ${request_ids.length} requests)`] : [];
  const known = { ...fields, ...(type === undefined ? {} : platformFields(record)) };
  const facts = Object.entries(known).flatMap(([name, value]) =>
    unsaid.has(name) || value === undefined ? [] : [`${name}=${plain(value)}`],
  );
  const grave = level === "info" ? [] : [plain(level)];
  const words = [...grave, plain(message ?? type ?? "request"), ...requests, ...facts].join(" ");
  const frames = typeof stack === "string" ? mapper.map(stack) : [];
  const stackLines = frames.map((frame) => `    ${plain(frame)}\n`).join("");
  return source === "" ? stackLines : `${timeOf(at)}  ${source.padEnd(width)}  ${words}\n${stackLines}`;
}

function platformFields(record: unknown): Record<string, unknown> {
  const { status, errorType, requestId } = (record ?? {}) as Record<string, unknown>;
  return { status, errorType, lambda_request_id: requestId };
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

/** Escapes control characters, so that a log line cannot move the reader's cursor. */
function plain(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll(/[^\x20-\x7e]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
