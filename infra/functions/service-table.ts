import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import type { FunctionRow } from "./function-row.ts";
import { functions } from "./functions.ts";
import type { QueueRow } from "./queues.ts";
import { streamFilters } from "./stream-filters.ts";

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

/**
 * Throws unless each worker has one caller: a queue, the table's stream, or a time of day. One without any would be left out
 * of the stack, and two callers would share its retries and its reserved concurrency.
 */
export function requireCallers(
  table: ServiceTable,
  queueRows: Readonly<Record<string, Pick<QueueRow, "worker">>>,
): void {
  const workers = Object.entries(table.functions).filter(([, { area }]) => area === "workers");
  for (const [name, { daily }] of workers) {
    const callers = [
      ...Object.keys(queueRows).flatMap((queue) => (queueRows[queue]?.worker === name ? [`the queue ${queue}`] : [])),
      ...(name in streamFilters ? ["the table's stream"] : []),
      ...(daily ? ["a schedule"] : []),
    ];
    if (callers.length === 1) continue;
    throw new Error(
      `The worker ${name} is called by ${callers.join(" and ") || "nothing"}: give it one caller, in infra/functions/queues.ts or stream-filters.ts, or by a time of day (daily) in worker-rows.ts.`,
    );
  }
}
