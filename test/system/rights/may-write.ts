import type { FunctionRow } from "../../../infra/functions/function-row.ts";

const writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];

/** Whether a function's rights let it write to the table. */
export function mayWrite({ table = [], rotatesSigningKeys }: FunctionRow): boolean {
  return table.some((action) => writes.includes(action)) || rotatesSigningKeys === true;
}
