/** A put, alone or in a transaction, with its condition. */
export interface PutWrite {
  readonly Put: { readonly Item: Record<string, unknown> };
}

/** The condition that an item still has the revision that was read. If none was read, the item must be absent. */
export function ifUnchanged(read: { readonly revision?: unknown } | undefined) {
  if (!read) return { ConditionExpression: "attribute_not_exists(pk)" };
  return { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": read.revision } };
}
