import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { kindOf } from "./kinds.ts";
import type { MarshalledItem } from "./release.ts";

/** What each attribute of a kind's items is, by its path: DynamoDB's type, or several; `?` where some lack it. */
export type Shape = Readonly<Record<string, string>>;

/** The shapes of items by kind and version, as in `user@1`. */
export function shapesOf(items: readonly MarshalledItem[]): Record<string, Shape> {
  const kinds = Map.groupBy(items, (item) => `${kindOf(item)}@${item.schema_version?.N ?? "0"}`);
  return Object.fromEntries([...kinds].map(([name, some]) => [name, shapeOf(some)]));
}

interface Seen {
  readonly types: Set<string>;
  count: number;
  /** How many of them are maps, each of which may have every member. */
  maps: number;
}

function shapeOf(items: readonly MarshalledItem[]): Shape {
  const seen = new Map<string, Seen>();
  for (const item of items) note({ M: item }, "", seen);
  const described = [...seen].map(([path, { types, count }]) => {
    const isMissing = !path.endsWith("[]") && path !== "" && count < (seen.get(parentOf(path))?.maps ?? 0);
    return [path, `${[...types].sort().join("|")}${isMissing ? "?" : ""}`] as const;
  });
  return Object.fromEntries(described.sort(([one], [other]) => one.localeCompare(other, "en")));
}

function note(value: AttributeValue, path: string, seen: Map<string, Seen>): void {
  const [type = ""] = Object.keys(value);
  const entry = seen.get(path) ?? { types: new Set(), count: 0, maps: 0 };
  seen.set(path, entry);
  entry.types.add(type);
  entry.count += 1;
  if (value.M) entry.maps += 1;
  for (const [name, member] of Object.entries(value.M ?? {})) note(member, `${path}/${name}`, seen);
  for (const element of value.L ?? []) note(element, `${path}[]`, seen);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
