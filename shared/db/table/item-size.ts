/** A limit below DynamoDB's 4 MB for a transaction, because the existing items of its writes count as well. */
export const mostTransactionBytes = 3_500_000;

/**
 * The number of bytes that a value of plain JSON takes in the table, including the names of attributes.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function bytesInTable(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  // A byte holds two digits; a number takes one byte more.
  if (typeof value === "number") return Math.ceil(`${value}`.length / 2) + 1;
  if (typeof value !== "object" || value === null) return 1;
  const parts = Array.isArray(value) ? value.map(bytesInTable) : Object.entries(value).map(bytesOfField);
  return parts.reduce((sum, bytes) => sum + bytes + 1, 3);
}

function bytesOfField([name, value]: readonly [string, unknown]): number {
  return value === undefined ? 0 : Buffer.byteLength(name) + bytesInTable(value);
}
