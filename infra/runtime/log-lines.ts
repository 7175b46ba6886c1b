import { parseJson } from "./json-text.ts";

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The function that wrote the line, or another source; empty for a stack alone. */
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a line of JSON; another line becomes a message. It has the given source and time unless it names its own. */
export function readLine(text: string, { source, at = 0 }: { source: string; at?: number }): LogLine {
  const fields = text.startsWith("{") ? (parseJson(text) as LogLine["fields"] | undefined) : undefined;
  if (!fields) return { at, source, fields: { message: text.trim() } };
  const { operation = source, timestamp, time } = fields;
  return { at: Date.parse(String(timestamp ?? time)) || at, source: String(operation), fields };
}

/** Whether a line is about a request, or about a batch that contains work of it. Lines of metrics do not count. */
export function isOf({ fields }: LogLine, requestId: string): boolean {
  const { request_id, request_ids, _aws } = fields;
  if (_aws !== undefined) return false;
  return request_id === requestId || (Array.isArray(request_ids) && request_ids.includes(requestId));
}
