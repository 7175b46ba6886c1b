import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import type { FunctionRow } from "./function-row.ts";
import { functions } from "./functions.ts";

/** The contents of a stack: the operations of the contract, and the rows of its functions by name. */
export interface ServiceTable {
  readonly operations: readonly Operation[];
  readonly functions: Readonly<Record<string, FunctionRow>>;
}

export const service: ServiceTable = { operations, functions };

/** The row of a function. Throws if the table has none. */
export function rowOf(table: ServiceTable, name: string): FunctionRow {
  const row = table.functions[name];
  if (!row) throw new Error(`No function has the name ${name}`);
  return row;
}

/** The names of the functions that are called every day. */
export function dailyFunctions(table: ServiceTable): string[] {
  return Object.keys(table.functions).filter((name) => rowOf(table, name).daily);
}
