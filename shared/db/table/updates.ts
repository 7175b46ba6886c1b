import { versionClause, versionValue } from "./entity.ts";
import type { Item, Key } from "./table.ts";

/** How an item changes, by at least one attribute; one inside of a map has a dot between the names. */
export interface Changes {
  /** What must be stored for the update to be made, by attribute. */
  readonly where?: Readonly<Item>;
  /** A further condition as an expression, whose values are `values`. */
  readonly when?: string;
  readonly values?: Readonly<Item>;
  readonly set?: Readonly<Item>;
  /** What is set where the attribute is absent. */
  readonly setOnce?: Readonly<Item>;
  readonly remove?: readonly string[];
  /** What is added to figures. */
  readonly add?: Readonly<Record<string, number>>;
}

/** An update of an item, which keeps its version (`versionClause`), as a call or a transaction takes it. */
export function updateOf(
  key: Key,
  { where = {}, when, values, set = {}, setOnce = {}, remove = [], add = {} }: Changes,
) {
  const names: Record<string, string> = {};
  const bound: Item = { ...values, ...versionValue };
  const pathOf = (attribute: string) => {
    const parts = attribute.split(".");
    for (const part of parts) names[`#${part}`] = part;
    return parts.map((part) => `#${part}`).join(".");
  };
  const bind = (values: Readonly<Item>, prefix: string, clauseOf: (path: string, name: string) => string) =>
    Object.entries(values).map(([attribute, value]) => {
      const name = `:${prefix}_${attribute.replace(".", "_")}`;
      bound[name] = value;
      return clauseOf(pathOf(attribute), name);
    });
  const clauses = {
    SET: [
      ...bind(set, "set", isEqual),
      ...bind(setOnce, "once", (path, name) => `${path} = if_not_exists(${path}, ${name})`),
      versionClause,
    ],
    REMOVE: remove.map(pathOf),
    ADD: bind(add, "add", (path, name) => `${path} ${name}`),
  };
  const conditions = [...bind(where, "is", isEqual), ...(when ? [when] : [])];
  const present = Object.entries(clauses).filter(([, parts]) => parts.length > 0);
  return {
    Key: { ...key },
    ConditionExpression: conditions.join(" AND ") || undefined,
    UpdateExpression: present.map(([word, parts]) => `${word} ${parts.join(", ")}`).join(" "),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: bound,
  };
}

function isEqual(path: string, name: string): string {
  return `${path} = ${name}`;
}
