import * as v from "valibot";
import { type BodyContract, type Operation, parameterNames, takesList } from "../contract/operation.ts";
import {
  type FieldCode,
  type FieldFault,
  type FieldRefusal,
  fieldFaults,
  forbiddenKeys,
  pointerTo,
  Refusal,
} from "../contract/refusals.ts";
import { log } from "../run/log.ts";
import { likelyNameOf } from "../run/nearest.ts";
import { settings } from "../run/settings.ts";
import type { HttpEvent, HttpRequest } from "./event.ts";

type Sent = Readonly<Record<string, string | undefined>>;

/** The parameters of a request's query by the contract's names, and the names by which they were sent. */
interface ReadQuery {
  readonly values: Sent;
  readonly sentAs: ReadonlyMap<string, string>;
}

/** Most unknown parameters in an answer, which stays small whatever is sent. */
const maxRefused = 20;

/**
 * The parameters of a request's query by the contract's names; `name[]` becomes `name` for lists. An unknown parameter
 * is refused, or logged if the stage says `warn`. Names that begin with `_` are dropped (D22).
 */
export function readQuery(operation: Operation, { queryStringParameters: sent = {} }: HttpEvent): ReadQuery {
  const known = parameterNames(operation);
  const lists = known.filter((name) => takesList(operation, name));
  const named = Object.entries(sent)
    .filter(([name]) => !name.startsWith("_"))
    .map(([name, value]) => ({ sentAs: name, name: lists.find((list) => name === `${list}[]`) ?? name, value }));
  refuseTwoSpellings(named.filter(({ sentAs, name }) => sentAs !== name && sent[name] !== undefined));
  const unknown = named.flatMap(({ name }) => (known.includes(name) ? [] : [name]));
  if (unknown.length > 0) refuseUnknown(unknown, known);
  return {
    values: Object.fromEntries(named.map(({ name, value }) => [name, value])),
    sentAs: new Map(named.map(({ name, sentAs }) => [name, sentAs])),
  };
}

function refuseTwoSpellings(twice: readonly { readonly sentAs: string; readonly name: string }[]): void {
  if (twice.length === 0) return;
  const errors = twice.map(({ sentAs, name }) => fault(sentAs, "invalid", `must not be sent together with ${name}`));
  throw new Refusal("fields_invalid", `Invalid: ${twice.map(({ sentAs }) => sentAs).join(", ")}`, { errors });
}

function refuseUnknown(unknown: readonly string[], known: readonly string[]): void {
  if (settings.unknownParameters() === "warn") {
    const nearest = unknown.slice(0, maxRefused).map((name) => likelyNameOf(name, known) ?? "");
    log("warn", "unknown parameters", { code: "unknown_parameter", nearest, count: unknown.length });
    return;
  }
  const errors = unknown.slice(0, maxRefused).map((name) => {
    const hint = hintAt(likelyNameOf(name, known), known);
    return fault(name, "unknown", `is not a parameter of this operation; ${hint}`);
  });
  const detail = errors
    .map(({ parameter = "a name of other characters", detail }) => `${parameter} ${detail}`)
    .join(". ");
  throw new Refusal("unknown_parameter", `Unknown: ${detail}`, { errors });
}

function hintAt(nearest: string | undefined, known: readonly string[]): string {
  if (nearest !== undefined) return `the nearest one is ${nearest}`;
  return known.length === 0 ? "the operation takes none" : `it takes ${known.join(", ")}`;
}

function fault(name: string, code: FieldCode, detail: string): FieldRefusal {
  return { ...(isWord(name) && { parameter: name }), code, detail };
}

/** True for what a caller may have meant as a name. Other text may be a value in the place of a name, such as a password. It must not be repeated. */
function isWord(name: string): boolean {
  return /^[a-z][\w-]{0,39}(\[\w{0,9}\])?$/i.test(name);
}

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

/** Middleware: checks query and body against the contract and keeps only the fields it names (D31). */
export function validate(operation: Operation) {
  return {
    before({ event }: HttpRequest): void {
      const { values, sentAs } = readQuery(operation, event);
      event.queryStringParameters = values;
      const parameters = check(operation.parameters, event.pathParameters ?? {}, asParameter);
      const query = check(operation.query, values, ({ path: [name = ""], code, detail }) => ({
        parameter: sentAs.get(name) ?? name,
        code,
        detail: explainSpace(detail),
      }));
      const outer = operation.body?.object ?? "";
      const body = check(operation.body?.fields, event.sent, ({ path, ...fault }) => ({
        pointer: pointerTo([outer, ...path]),
        ...fault,
      }));
      event.input = { parameters, query, body };
    },
  };
}

function asParameter({ path: [name = ""], ...fault }: FieldFault): FieldRefusal {
  return { parameter: name, ...fault };
}

/** In a query string an unescaped plus sign arrives as a space, so the value that is shown may not be what was written. */
function explainSpace(detail: string): string {
  return detail.includes('not " ') ? `${detail}; write a plus sign as %2B` : detail;
}

function check(
  schema: v.GenericSchema | undefined,
  value: unknown,
  locate: (fault: FieldFault) => FieldRefusal,
): unknown {
  if (!schema) return {};
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const errors = fieldFaults(result.issues).map((fault, at) => locate(withValue(fault, result.issues[at]?.input)));
  const names = errors.map(({ pointer, parameter }) => pointer ?? parameter);
  throw new Refusal("fields_invalid", `Invalid: ${names.join(", ")}`, { errors });
}

/** The fields whose values an answer may repeat. Any other value may be a secret, or a person's. */
const shownFields = [
  "id",
  "change_id",
  "record_id",
  "by_company",
  "by_user",
  "timesheet_ids",
  "job_ids",
  "notification_ids",
  "from_date",
  "to_date",
  "state",
  "by_state",
  "page",
  "per_page",
];

/** Longer than any id, date or state. */
const mostShown = 40;

function withValue(fault: FieldFault, value: unknown): FieldFault {
  const name = fault.path.findLast((part) => !/^\d+$/.test(part)) ?? "";
  if (!shownFields.includes(name) || !["string", "number"].includes(typeof value)) return fault;
  // JSON's parser has rounded it: the caller wrote another one.
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) return fault;
  const text = [...String(value).toWellFormed()];
  const shown = text.length > mostShown ? `${text.slice(0, mostShown).join("")}…` : text.join("");
  return { ...fault, detail: `${fault.detail}, not ${typeof value === "number" ? value : JSON.stringify(shown)}` };
}
