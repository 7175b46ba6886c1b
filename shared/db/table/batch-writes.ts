import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../batches.ts";
import { settings } from "../../settings.ts";
import { pauseBriefly } from "./conflicts.ts";
import { documentClient, type Item } from "./table.ts";

/** Most items that one call writes. */
const maxBatchWrites = 25;

/**
 * Puts items of different keys, 25 a call, one call after the other, over whatever is stored. What the table leaves unwritten
 * under load is sent again with jitter, for up to a second a call; then refused as `busy`.
 */
export async function putBatch(items: readonly Item[]): Promise<void> {
  for (const chunk of chunksOf(items, maxBatchWrites)) await putChunk(chunk);
}

async function putChunk(items: readonly Item[]): Promise<void> {
  const table = settings.tableName();
  const startedAt = performance.now();
  let open = items.map((Item) => ({ PutRequest: { Item } }));
  for (let attempt = 0; open.length > 0; attempt += 1) {
    if (attempt > 0) await pauseBriefly(attempt, startedAt);
    const { UnprocessedItems } = await documentClient().send(
      new BatchWriteCommand({ RequestItems: { [table]: open } }),
    );
    open = (UnprocessedItems?.[table] ?? []).flatMap(({ PutRequest }) =>
      PutRequest?.Item ? [{ PutRequest: { Item: PutRequest.Item } }] : [],
    );
  }
}
