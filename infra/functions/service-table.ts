import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import type { FunctionRow } from "./function-row.ts";
import { functions } from "./functions.ts";

/** What a stack is made of: the operations of the contract, and a row for each function by its name. */
export interface ServiceTable {
  readonly operations: readonly Operation[];
  readonly functions: Readonly<Record<string, FunctionRow>>;
}

/** The service itself. */
export const service: ServiceTable = { operations, functions };

/** The row of a function. Throws when the table has none. */
export function rowOf(table: ServiceTable, name: string): FunctionRow {
  const row = table.functions[name];
  if (!row) throw new Error(`No function has the name ${name}`);
  return row;
}
