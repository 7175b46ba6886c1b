import { setTimeout as pause } from "node:timers/promises";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Engine } from "./engine.ts";
import { type ExpiringTable, sweepExpiredItems } from "./expired-items.ts";

/** What the upkeep of a table needs to know. */
export interface UpkeepOptions {
  engine: Pick<Engine, "upkeep">;
  client: DynamoDBClient;
  table: ExpiringTable;
  /** The sequence number up to which nobody needs the stream's records; undefined while all are needed. */
  passed(): bigint | undefined;
  onFailure?(error: unknown): void;
}

const trimEveryMilliseconds = 5_000;
const trimsBetweenSweeps = 12;

/** Does for the engine, until stopped, what DynamoDB does by itself: forgets old stream records and expired items. */
export function startUpkeep(options: UpkeepOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = options.engine.upkeep ? run(options, options.engine.upkeep, stopping.signal) : Promise.resolve();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function run(
  { client, table, passed, onFailure }: UpkeepOptions,
  { trimStream }: NonNullable<Engine["upkeep"]>,
  stopping: AbortSignal,
): Promise<void> {
  for (let round = 0; !stopping.aborted; round += 1) {
    await pause(trimEveryMilliseconds, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    try {
      const upTo = passed();
      if (upTo !== undefined) await trimStream(table.name, upTo);
      if (round % trimsBetweenSweeps === 0) await sweepExpiredItems(client, table, new Date(), stopping);
    } catch (error) {
      onFailure?.(error);
    }
  }
}
