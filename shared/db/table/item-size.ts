/** DynamoDB takes 4 MB in a transaction; what it writes beside the items that it finds counts as well. */
export const mostTransactionBytes = 3_500_000;

/** How many bytes a value of plain JSON takes in the table, names of attributes included. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
export function bytesInTable(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  // Two digits a byte, and one more.
  if (typeof value === "number") return Math.ceil(`${value}`.length / 2) + 1;
  if (typeof value !== "object" || value === null) return 1;
  const parts = Array.isArray(value) ? value.map(bytesInTable) : Object.entries(value).map(bytesOfField);
  return parts.reduce((sum, bytes) => sum + bytes + 1, 3);
}

function bytesOfField([name, value]: readonly [string, unknown]): number {
  return value === undefined ? 0 : Buffer.byteLength(name) + bytesInTable(value);
}
