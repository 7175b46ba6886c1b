import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { chunksOf, inParallel } from "../../run/batches.ts";
import { settings } from "../../run/settings.ts";
import type { Item } from "./item-keys.ts";
import { paces, retry } from "./retry.ts";
import { tableClient } from "./table.ts";

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/** Most items that one call writes. */
const maxBatchWrites = 25;
/** A hundred items at once: what one call of the stream brings. */
const callsAtOnce = 4;

/**
 * Puts items without conditions, each by itself. 1 write unit a KB and item, half the price of a transaction. If the
 * table is under load and leaves items unwritten, the call asks again with jitter for up to a second, then refuses with
 * `busy`.
 */
export async function putBatch(items: readonly Item[]): Promise<void> {
  await inParallel(chunksOf(items, maxBatchWrites), callsAtOnce, putChunk);
}

async function putChunk(items: readonly Item[]): Promise<void> {
  const table = settings.tableName();
  let open: Requests = items.map((Item) => ({ PutRequest: { Item } }));
  await retry(paces.conflict, async () => {
    const command = new BatchWriteCommand({ RequestItems: { [table]: open } });
    const { UnprocessedItems } = await tableClient().send(command);
    open = UnprocessedItems?.[table] ?? [];
    return open.length === 0 || undefined;
  });
}
