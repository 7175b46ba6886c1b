import { tableClient } from "../../../shared/table/table.ts";

/** The costs of a piece of work on the table. */
export interface Cost {
  readUnits: number;
  writeUnits: number;
  /** Round trips that had to wait for an earlier one. */
  sequentialTrips: number;
}

interface Capacity {
  CapacityUnits?: number;
}

const writes = new Set(
  ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"].map((action) => `${action}Command`),
);

/** Runs a piece of work and counts what DynamoDB says that it consumed. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cost: Cost = { readUnits: 0, writeUnits: 0, sequentialTrips: 0 };
  let underWay = 0;
  const name = `costs-${crypto.randomUUID()}`;
  tableClient().middlewareStack.add(
    (next, context) => async (args) => {
      if (underWay === 0) cost.sequentialTrips += 1;
      underWay += 1;
      try {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: "TOTAL" } });
        const consumed = (result.output as { ConsumedCapacity?: Capacity | Capacity[] }).ConsumedCapacity;
        const units = [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
        cost[writes.has(String(context.commandName)) ? "writeUnits" : "readUnits"] += units;
        return result;
      } finally {
        underWay -= 1;
      }
    },
    { step: "initialize", name },
  );
  await work();
  tableClient().middlewareStack.remove(name);
  return cost;
}
