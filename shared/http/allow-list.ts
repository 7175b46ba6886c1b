import type * as v from "valibot";

/** Copies the fields that a schema names. Throws if the value has another shape. */
export type AllowList = (value: unknown) => unknown;

type Schema = v.GenericSchema<unknown, unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** The parts of each type of schema, besides the common ones. */
interface SchemaParts {
  readonly entries: Readonly<Record<string, Schema>>;
  readonly item: Schema;
  readonly wrapped: Schema;
  readonly options: readonly unknown[];
  readonly literal: unknown;
}

const allowLists = new WeakMap<Schema, AllowList>();

/**
 * The allow-list that an answer's schema defines. It looks at names and types of fields and not at their values, which
 * were held against the same schemas on their way into the table: that would take most of a call's time.
 */
export function allowListOf(schema: Schema): AllowList {
  const made = allowLists.get(schema);
  if (made) return made;
  const allow = makeAllowList(schema, "the answer");
  allowLists.set(schema, allow);
  return allow;
}

function makeAllowList(schema: Schema, place: string): AllowList {
  const { entries, item, wrapped, options, literal } = schema as unknown as SchemaParts;
  switch (schema.type) {
    case "string":
    case "number":
    case "boolean":
      return allowWhere((value) => typeof value === schema.type, place);
    case "unknown":
      return (value) => value;
    case "picklist":
      return allowWhere((value) => options.includes(value), place);
    case "literal":
      return allowWhere((value) => value === literal, place);
    case "nullable":
      return allowNullable(makeAllowList(wrapped, place));
    case "exact_optional":
      return allowAbsent(makeAllowList(wrapped, place));
    case "array":
      return allowItems(makeAllowList(item, `an item of ${place}`), place);
    case "object":
      return allowFields(entries, place);
    case "loose_object":
      return allowFields(entries, place, { isOpen: true });
  }
  throw new Error(`No allow-list can be made of ${place}, a ${schema.type}`);
}

function allowWhere(fits: (value: unknown) => boolean, place: string): AllowList {
  return (value) => {
    if (!fits(value)) throw breach(place);
    return value;
  };
}

function allowNullable(allow: AllowList): AllowList {
  return (value) => (value === null ? null : allow(value));
}

function allowAbsent(allow: AllowList): AllowList {
  return (value) => (value === undefined ? undefined : allow(value));
}

function allowItems(allow: AllowList, place: string): AllowList {
  return (value) => {
    if (!Array.isArray(value)) throw breach(place);
    return value.map(allow);
  };
}

function allowFields(entries: Readonly<Record<string, Schema>>, place: string, { isOpen = false } = {}): AllowList {
  const allowed = Object.entries(entries).map(
    ([name, entry]) => [name, makeAllowList(entry, `${name} of ${place}`)] as const,
  );
  return (value) => {
    if (typeof value !== "object" || value === null) throw breach(place);
    const fields = value as Fields;
    const answered: Record<string, unknown> = isOpen ? { ...fields } : {};
    for (const [name, allow] of allowed) answered[name] = allow(fields[name]);
    return answered;
  };
}

function breach(place: string): Error {
  return new Error(`The contract knows no such value for ${place}`);
}
