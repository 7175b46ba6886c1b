import { parseJson } from "./json-text.ts";

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The function that wrote the line, or another source; empty for a stack alone. */
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a line of JSON; another line becomes a message. It has the source and time of `from` unless it names its own. */
export function readLine(text: string, from: { source: string; at?: number }): LogLine {
  const fields = text.startsWith("{") ? (parseJson(text) as LogLine["fields"] | undefined) : undefined;
  if (!fields) return { at: from.at ?? 0, source: from.source, fields: { message: text.trim() } };
  const { operation = from.source, timestamp, time } = fields;
  const said = Date.parse(String(timestamp ?? time));
  const at = Number.isNaN(said) ? (from.at ?? 0) : said;
  return { at, source: String(operation), fields };
}

/** Whether a line is about a request, or about a batch that contains work of it. Lines of metrics do not count. */
export function isOf({ fields }: LogLine, requestId: string): boolean {
  const { request_id, request_ids, _aws } = fields;
  if (_aws !== undefined) return false;
  return request_id === requestId || (Array.isArray(request_ids) && request_ids.includes(requestId));
}
