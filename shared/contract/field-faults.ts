import type * as v from "valibot";

/** Say what is wrong with a field of a request, for clients to act on. */
export const fieldCodes = [
  "missing",
  "wrong_type",
  "not_allowed",
  "out_of_range",
  "too_short",
  "too_long",
  "too_broad",
  "invalid",
  "required",
  "unknown",
  "common",
] as const;

/** Say the same of import lines and events. */
export type FieldCode =
  | (typeof fieldCodes)[number]
  | "unknown_field"
  | "taken"
  | "line_too_long"
  | "malformed_json"
  | "invalid_utf8";

/** One field that failed its schema: its path, a stable code, and a sentence without the value, which an answer may add (D31). */
export interface FieldFault {
  readonly path: readonly string[];
  readonly code: FieldCode;
  readonly detail: string;
}

/** Most faults of a body in an answer, which stays small whatever is sent. */
export const maxFaults = 20;

/** The faults in a schema's issues, at most 20. */
export function fieldFaults(issues: readonly v.BaseIssue<unknown>[]): FieldFault[] {
  return issues.slice(0, maxFaults).map((issue) => ({
    path: issue.path?.map(({ key }) => String(key)) ?? [],
    ...explain(issue),
  }));
}

/** Names that no object has, at any depth of a body, line, event, map or item: libraries are misled by them, or lose them (D33). */
export const forbiddenNames: readonly string[] = ["__proto__", "constructor", "prototype"];

interface Place {
  readonly value: unknown;
  readonly name?: string;
  readonly within?: Place;
}

/** The faults of the forbidden names in a JSON value of any depth, outer ones first, at most 20. */
export function forbiddenKeys(value: unknown): FieldFault[] {
  const faults: FieldFault[] = [];
  const places: Place[] = [{ value }];
  // The list grows while it is walked: a recursion would end at some thousand levels.
  for (const within of places) {
    if (typeof within.value !== "object" || within.value === null) continue;
    for (const [name, inner] of within.value instanceof Map ? within.value : Object.entries(within.value)) {
      const place = { value: inner, name, within };
      places.push(place);
      if (!forbiddenNames.includes(name)) continue;
      faults.push({ path: pathOf(place), code: "not_allowed", detail: "is a name that no field may have" });
      if (faults.length === maxFaults) return faults;
    }
  }
  return faults;
}

function pathOf(found: Place): string[] {
  const path: string[] = [];
  for (let place: Place | undefined = found; place?.name !== undefined; place = place.within) path.push(place.name);
  return path.toReversed();
}

/** A JSON pointer (RFC 6901) to a field. */
export function pointerTo(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function explain(issue: v.BaseIssue<unknown>): Pick<FieldFault, "code" | "detail"> {
  if (issue.received === "undefined") return { code: "missing", detail: "is required" };
  const limit = String(issue.requirement);
  switch (issue.type) {
    case "integer":
    case "safe_integer":
      return { code: "wrong_type", detail: "must be a whole number below 2^53" };
    case "min_value":
      return { code: "out_of_range", detail: `must be at least ${limit}` };
    case "max_value":
      return { code: "out_of_range", detail: `must be at most ${limit}` };
    case "min_length":
      return { code: "too_short", detail: `must have at least ${lengthOf(issue)}` };
    case "max_length":
      return { code: "too_long", detail: `must have at most ${lengthOf(issue)}` };
    case "picklist":
      return {
        code: "not_allowed",
        detail: `must be one of ${issue.expected?.replace(/[()"]/g, "").replaceAll(" | ", ", ")}`,
      };
    case "strict_object":
      if (issue.expected !== "never") return { code: "wrong_type", detail: "must be an object" };
      return { code: "unknown_field", detail: "is not a field of this record" };
    case "check":
    case "regex":
    case "partial_check":
    case "raw_check":
      return { code: "invalid", detail: issue.message };
    default:
      return { code: "wrong_type", detail: `must be ${expectedType(issue.expected)}` };
  }
}

/** A limit of a length with its unit, such as "1 item" or "64 characters". */
function lengthOf({ input, requirement }: v.BaseIssue<unknown>): string {
  const unit = Array.isArray(input) ? "item" : "character";
  return `${requirement} ${unit}${requirement === 1 ? "" : "s"}`;
}

function expectedType(expected: string | null): string {
  const names: Record<string, string> = {
    Array: "an array",
    Object: "an object",
    string: "a string",
    number: "a number",
  };
  const given = expected ?? "of another type";
  return names[given] ?? given.replace(/[()]/g, "").replaceAll(" | ", " or ");
}
