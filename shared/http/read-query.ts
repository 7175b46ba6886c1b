import { type Operation, parameterNames, takesList } from "../contract/operation.ts";
import type { FieldCode } from "../contract/refusals.ts";
import { type FieldRefusal, Refusal } from "../contract/refusals.ts";
import { log } from "../run/log.ts";
import { likelyNameOf } from "../run/nearest.ts";
import { settings } from "../run/settings.ts";
import type { HttpEvent } from "./http-event.ts";

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
export function isWord(name: string): boolean {
  return /^[a-z][\w-]{0,39}(\[\w{0,9}\])?$/i.test(name);
}
