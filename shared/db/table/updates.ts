import { versionClause, versionValue } from "./entity.ts";
import type { Item, Key } from "./table.ts";

/** How an item changes; attributes are named as they are stored, those inside of a map with a dot between the names. */
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
  const conditions = [...bind(where, "is", isEqual), ...(when ? [when] : [])];
  const once = bind(setOnce, "once", (path, name) => `${path} = if_not_exists(${path}, ${name})`);
  const clauses = [
    `SET ${[...bind(set, "set", isEqual), ...once, versionClause].join(", ")}`,
    ...(remove.length > 0 ? [`REMOVE ${remove.map(pathOf).join(", ")}`] : []),
    ...(Object.keys(add).length > 0 ? [`ADD ${bind(add, "add", (path, name) => `${path} ${name}`).join(", ")}`] : []),
  ];
  return {
    Key: { ...key },
    ...(conditions.length > 0 && { ConditionExpression: conditions.join(" AND ") }),
    UpdateExpression: clauses.join(" "),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: bound,
  };
}

function isEqual(path: string, name: string): string {
  return `${path} = ${name}`;
}
