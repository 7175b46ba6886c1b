import type { FunctionRow } from "../../../infra/functions/function-row.ts";

const writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];

/** Whether a function's rights let it write to the table. */
export function mayWrite({ table = [], deliversWebhooks, rotatesSigningKeys }: FunctionRow): boolean {
  return table.some((action) => writes.includes(action)) || deliversWebhooks === true || rotatesSigningKeys === true;
}
