import type { BodyContract } from "../contract/operation.ts";
import { type FieldFault, forbiddenKeys, pointerTo, Refusal } from "../contract/refusals.ts";
import type { HttpRequest } from "./http-event.ts";
import { isWord } from "./read-query.ts";

/** Step: refuses a body of another media type, charset or encoding than JSON in UTF-8. None at all is a missing object. */
export function requireJson(contract: BodyContract) {
  return {
    before({ event }: HttpRequest): void {
      const { "content-type": type, "content-encoding": encoding = "identity" } = event.headers;
      if (!event.body && type === undefined) throw missing(contract);
      if (type !== undefined && isUtf8Json(type) && encoding.trim().toLowerCase() === "identity") return;
      throw new Refusal(
        "media_type_not_supported",
        "Send the body as application/json, in UTF-8 and without a content encoding",
      );
    },
  };
}

const jsonType = /^application\/([a-z0-9.+-]+\+)?json[ \t]*(;|$)/i;

function isUtf8Json(type: string): boolean {
  const charsets = [...type.matchAll(/;[ \t]*charset[ \t]*=([^;]*)/gi)].map(([, charset = ""]) => charset.trim());
  return jsonType.test(type) && charsets.every((charset) => /^("utf-?8"|utf-?8)$/i.test(charset));
}

/** More levels than any body of the interface has, and fewer than the parser's recursion can take (D33). */
const mostLevels = 32;

/** Also takes a byte order mark away, with which editors and some libraries begin UTF-8. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Step: turns the bytes of a body into the text to parse. Refuses bytes that are no UTF-8, and more than 32 levels. */
export function decodeBody({ object }: BodyContract) {
  return {
    before({ event }: HttpRequest): void {
      if (!event.body) return;
      event.body = decode(Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8"));
      event.isBase64Encoded = false;
      if (!isDeeper(event.body)) return;
      const errors = [
        { pointer: `/${object}`, code: "invalid", detail: `must have at most ${mostLevels} levels` } as const,
      ];
      throw new Refusal("fields_invalid", `Invalid: /${object}`, { errors });
    },
  };
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal("malformed_json", "The body is not UTF-8 text");
  }
}

/** True for a JSON text with more levels of objects and lists, well-formed or not. */
function isDeeper(json: string): boolean {
  let level = 0;
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}]/gs)) {
    if (token === "{" || token === "[") level += 1;
    if (token === "}" || token === "]") level -= 1;
    if (level > mostLevels) return true;
  }
  return false;
}

/**
 * Step: takes the operation's outer object out of the parsed body, and refuses forbidden names at any depth. The parser's
 * own errors carry the body in their cause: refusals of the contract replace them.
 */
export function requireObject(contract: BodyContract) {
  return {
    before({ event }: HttpRequest): void {
      event.sent = objectIn(event.body, contract);
    },
    onError(request: HttpRequest): void {
      if (isOfParser(request.error)) request.error = refusalOf(request.event.body, contract);
    },
  };
}

function objectIn(body: unknown, contract: BodyContract): Readonly<Record<string, unknown>> {
  const object = isRecord(body) ? body[contract.object] : undefined;
  if (!isRecord(object)) throw missing(contract);
  const faults = forbiddenKeys(body);
  if (faults.length > 0) throw forbidden(faults);
  return object;
}

function isOfParser(error: Error | null | undefined): boolean {
  const { package: thrower } = (error?.cause ?? {}) as { readonly package?: string };
  return thrower === "@middy/http-json-body-parser";
}

/** The refusal of a text that the parser refused: JSON's own parser takes the forbidden names. */
function refusalOf(text: string | undefined, contract: BodyContract): Refusal {
  if (!text) return missing(contract);
  try {
    objectIn(JSON.parse(text), contract);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  return new Refusal("malformed_json", "The body is not well-formed JSON");
}

function forbidden(faults: readonly FieldFault[]): Refusal {
  const errors = faults.map(({ path, ...fault }) => ({ ...(isShown(path) && { pointer: pointerTo(path) }), ...fault }));
  const names = new Set(faults.map(({ path }) => path.at(-1)));
  return new Refusal("fields_invalid", `Invalid: ${[...names].join(", ")}`, { errors });
}

/** Other text on the way to a forbidden name may be a secret in the place of a name. It must not be repeated (D31). */
function isShown(path: readonly string[]): boolean {
  return path.every((part) => isWord(part) || part === "__proto__" || /^\d{1,5}$/.test(part));
}

function missing({ object }: BodyContract): Refusal {
  return new Refusal("body_object_missing", `The body must be an object that holds the object "${object}"`, {
    errors: [{ pointer: `/${object}`, code: "missing", detail: "must be an object" }],
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
