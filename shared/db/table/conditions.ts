/** A put, alone or in a transaction, with its condition. */
export interface PutWrite {
  readonly Put: { readonly Item: Record<string, unknown> };
}

/** The item exists. */
export const isThere = "attribute_exists(pk)";

/** There is no such item. */
export const isAbsent = "attribute_not_exists(pk)";

/** The item has the attribute. */
export function has(attribute: string): string {
  return `attribute_exists(${attribute})`;
}

/** The item has no such attribute. */
export function lacks(attribute: string): string {
  return `attribute_not_exists(${attribute})`;
}

/** At least one of the conditions holds. */
export function anyOf(...conditions: readonly string[]): string {
  return `(${conditions.join(" OR ")})`;
}

/** All of the conditions hold. */
export function allOf(...conditions: readonly string[]): string {
  return conditions.join(" AND ");
}

/** The condition that there is no item yet. */
export const ifAbsent = { ConditionExpression: isAbsent } as const;

/** The condition that an item still has the revision that was read. If none was read, the item must be absent. */
export function ifUnchanged(read: { readonly revision?: unknown } | undefined) {
  if (!read) return ifAbsent;
  return { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": read.revision } };
}
