import { parseJson } from "../../runtime/json-text.ts";

/** Replaces a secret. It is ASCII, so that a header may carry it. */
const masked = "(masked)";

/** The most characters of a body that are kept. */
const mostOfBody = 64 * 1024;

/** A longer body is not parsed at all. */
const mostRead = 4 * mostOfBody;
const mostDepth = 100;

const secretName = /pass(word|code)|(^|[^a-z])pin([^a-z]|$)|token|secret|authorization|cookie|^known-client$/i;
// Matches only at the start of a run of characters. Otherwise a long run of starts would take quadratic time.
const jwt = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g;
const apiKey = /wfk_[0-9a-f]{8}_\d+_\d+_[\w-]+/g;

function isSecret(name: string): boolean {
  return secretName.test(name);
}

/** Values without secrets, cut at 100 levels of nesting. Returns the given value itself if nothing was replaced. */
export function maskValue(value: unknown): unknown {
  return maskAt(value, false, 0);
}

function maskAt(value: unknown, isNamed: boolean, depth: number): unknown {
  if (typeof value !== "object" || value === null) return maskLeaf(value, isNamed, depth);
  if (depth >= mostDepth) return masked;
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  // The elements of a list are secrets if the list's name is a secret's.
  const kept = entries.map(([name, inner]) => [name, maskAt(inner, isList ? isNamed : isSecret(name), depth + 1)]);
  if (kept.every(([, inner], at) => inner === entries[at]?.[1])) return value;
  return isList ? kept.map(([, inner]) => inner) : Object.fromEntries(kept);
}

function maskLeaf(value: unknown, isNamed: boolean, depth: number): unknown {
  if (isNamed && ["string", "number", "bigint"].includes(typeof value)) return masked;
  if (typeof value !== "string") return value;
  // A message contains JSON as text.
  return /^\s*[[{"]/.test(value) ? maskUnknown(value, depth) : maskText(value);
}

/**
 * A body that may be kept: JSON without its secrets, or other text. Text that names a secret and a far too long body
 * are replaced by their length.
 */
export function maskBody(body: string): string {
  return body.length > mostRead ? `(${body.length} characters)` : clip(maskUnknown(body, 0));
}

/** Text that may be JSON. Returns it unchanged if it names no secret. */
function maskUnknown(text: string, depth: number): string {
  const value = parseJson(text);
  if (value === undefined) {
    return isSecret(decode(text))
      ? `${masked}: ${text.length} characters that are no JSON and name a secret`
      : maskText(text);
  }
  const kept = maskAt(value, false, depth);
  // If an object has a name twice, its value holds only the last one: a text that may have a secret is not kept.
  const isClear = !isSecret(decode(text)) && maskText(text) === text;
  return kept === value && isClear ? text : JSON.stringify(kept);
}

/** Text without tokens and API keys. */
export function maskText(text: string): string {
  return text.replaceAll(jwt, masked).replaceAll(apiKey, masked);
}

/** A query string without the values of secret parameters. */
export function maskQuery(query: string): string {
  const pairs = query.split("&").map((pair) => {
    const [name = ""] = pair.split("=");
    return isSecret(decode(name)) ? `${name}=${masked}` : maskText(pair);
  });
  return pairs.join("&");
}

/** Headers as texts, without tokens and cookies. */
export function maskHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(maskAt(value, isSecret(name), 0))]);
  return Object.fromEntries(entries);
}

/** The start of a text, and the number of characters left out. */
export function clip(text: string, most = mostOfBody): string {
  const rest = text.length - most;
  // A slice alone would keep the whole text in memory.
  return rest > 0 ? `${Buffer.from(text.slice(0, most)).toString()}… (${rest} more characters)` : text;
}

/** Decodes percent and JSON escapes, so that they hide no name. */
function decode(text: string): string {
  return text.replaceAll(/(?:%|\\u00)([0-7][\da-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
