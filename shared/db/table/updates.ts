import { allOf, anyOf, lacks } from "./conditions.ts";
import { versionClause, versionValue } from "./entity.ts";
import type { Item, Key } from "./item-keys.ts";

/** A change of an item in at least one attribute. A field of its record is `record.` and the field's name. */
export interface Patch {
  /** Attributes that must have these values for the update to be made; undefined where one must be absent. */
  readonly where?: Readonly<Item>;
  /** A further condition, as an expression (`anyOf`, `allOf`) with its `values` and `names`. */
  readonly when?: string;
  readonly values?: Readonly<Item>;
  readonly names?: Readonly<Record<string, string>>;
  /** Attributes to set. The item's version stays unless it is among them (`versionClause`). */
  readonly set?: Readonly<Item>;
  /** Attributes to set where they are absent. */
  readonly setOnce?: Readonly<Item>;
  readonly remove?: readonly string[];
  /** Amounts to add to figures. */
  readonly add?: Readonly<Record<string, number>>;
}

/**
 * An update of an item, as a call or a transaction takes it. `writeId` names the write: the item keeps it until its next write, and a
 * repetition fails on it. The writes of a transaction have none, as its token says that it is repeated.
 */
export function updateOf({ pk, sk }: Key, changes: Patch, writeId?: string) {
  const key = { pk, sk };
  const { where = {}, when, values, set = {}, setOnce = {}, remove = [], add = {} } = changes;
  const keepsVersion = set.schema_version === undefined;
  const bound: Item = {
    ...values,
    ...(keepsVersion && versionValue),
    ...(writeId !== undefined && { ":write_id": writeId }),
  };
  const names = new Map<string, string>();
  let count = 0;
  const bind = (value: unknown) => {
    count += 1;
    bound[`:v${count}`] = value;
    return `:v${count}`;
  };
  const clausesOf = (changed: Readonly<Item>, clauseOf: (path: string, value: unknown) => string) =>
    Object.entries(changed).map(([attribute, value]) => clauseOf(pathOf(attribute, names), value));
  const conditions = clausesOf(where, (path, value) =>
    value === undefined ? lacks(path) : `${path} = ${bind(value)}`,
  );
  const sets = [
    ...clausesOf(set, (path, value) => `${path} = ${bind(value)}`),
    ...clausesOf(setOnce, (path, value) => `${path} = if_not_exists(${path}, ${bind(value)})`),
    ...(keepsVersion ? [versionClause] : []),
    ...(writeId === undefined ? [] : ["write_id = :write_id"]),
  ];
  const removed = remove.map((attribute) => pathOf(attribute, names));
  if (writeId === undefined) removed.push("write_id");
  const clauses = { SET: sets, REMOVE: removed, ADD: clausesOf(add, (path, value) => `${path} ${bind(value)}`) };
  const ifNotWritten = writeId === undefined ? [] : [anyOf(lacks("write_id"), "write_id <> :write_id")];
  const present = Object.entries(clauses).filter(([, parts]) => parts.length > 0);
  return {
    Key: { ...key },
    ConditionExpression: allOf(...conditions, ...(when ? [when] : []), ...ifNotWritten) || undefined,
    UpdateExpression: present.map(([word, parts]) => `${word} ${parts.join(", ")}`).join(" "),
    ExpressionAttributeNames: {
      ...changes.names,
      ...Object.fromEntries([...names].map(([name, alias]) => [alias, name])),
    },
    ExpressionAttributeValues: bound,
  };
}

/** The aliases of an attribute's names: any name may be a word that expressions reserve. */
function pathOf(attribute: string, names: Map<string, string>): string {
  const parts = attribute.startsWith("record.") ? ["record", attribute.slice("record.".length)] : [attribute];
  for (const part of parts) names.set(part, names.get(part) ?? `#n${names.size}`);
  return parts.map((part) => names.get(part)).join(".");
}
