import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { assumedMilliseconds, queueRequestsPerMessage } from "./assumptions.ts";
import type { MeasuredCall } from "./measure-calls.ts";
import type { Prices } from "./prices.ts";

const million = 1_000_000;
const usualMemoryMegabytes = 512;

/** The costs of a million calls of a function, in US dollars, and their parts. */
export interface Bill {
  readonly name: FunctionName;
  readonly isOperation: boolean;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly milliseconds: number;
  readonly gateway: number;
  readonly lambda: number;
  readonly table: number;
  readonly logs: number;
  readonly queue: number;
  readonly total: number;
}

/** The bill of a million calls that each take what was measured. */
export function billOf({ name, isOperation, readUnits, writeUnits, logBytes }: MeasuredCall, prices: Prices): Bill {
  const { area, memoryMegabytes = usualMemoryMegabytes, readsStream } = functions[name];
  const milliseconds = assumedMilliseconds(name, writeUnits);
  const gigabyteSeconds = (memoryMegabytes / 1024) * (milliseconds / 1000) * million;
  const parts = {
    gateway: isOperation ? prices.gatewayPerMillion : 0,
    lambda: prices.lambdaPerMillion + gigabyteSeconds * prices.lambdaPerGigabyteSecond,
    table: readUnits * prices.readUnitsPerMillion + writeUnits * prices.writeUnitsPerMillion,
    logs: (logBytes / 1000) * prices.logsPerGigabyte,
    // Reading the table's stream costs nothing to Lambda.
    queue: area === "workers" && !readsStream ? queueRequestsPerMessage * prices.queueRequestsPerMillion : 0,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { name, isOperation, readUnits, writeUnits, milliseconds, ...parts, total };
}
