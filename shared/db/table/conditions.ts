/** A put by itself or in a transaction, with the condition that it depends on. */
export interface PutWrite {
  readonly Put: { readonly Item: Record<string, unknown> };
}

/** Holds a write to an item that is as it was read, by its revision; where none was read, to there being none. */
export function ifUnchanged(read: { readonly revision?: unknown } | undefined) {
  if (!read) return { ConditionExpression: "attribute_not_exists(pk)" };
  return { ConditionExpression: "revision = :revision", ExpressionAttributeValues: { ":revision": read.revision } };
}
