import { BatchWriteCommand, paginateScan, UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { chunksOf, inParallel } from "../../../shared/run/batches.ts";
import { settings } from "../../../shared/run/settings.ts";
import type { Item } from "../../../shared/table/table.ts";
import { keyOf, nameOf, tableClient } from "../../../shared/table/table.ts";

/** Every item of the table, or those whose partitions begin in one of these ways. */
export async function allItems(begins: readonly string[] = [], client = tableClient()): Promise<Item[]> {
  const scan = { TableName: settings.tableName(), ConsistentRead: true };
  const filter = {
    FilterExpression: begins.map((_, at) => `begins_with(pk, :begin${at})`).join(" OR "),
    ExpressionAttributeValues: Object.fromEntries(begins.map((begin, at) => [`:begin${at}`, begin])),
  };
  const found: Item[] = [];
  const pages = paginateScan({ client }, { ...scan, ...(begins.length > 0 && filter) });
  for await (const { Items = [] } of pages) found.push(...Items);
  return found;
}

/** Every item of the table, by the name of its key; without the names of their last writes, which are random. */
export async function scanItems(): Promise<Map<string, Item>> {
  return new Map((await allItems()).map((item) => [nameOf(keyOf(item)), contentOf(item)]));
}

/** An item without the name of its last write. */
export function contentOf({ write_id: _, ...content }: Item): Item {
  return content;
}

/** The stored changes of a user. */
export async function changesOf(userId: number): Promise<Item[]> {
  return (await allItems(["CHANGE#"])).filter(({ user_id }) => user_id === userId);
}

/** Puts items as they are, several times as fast as the service writes them one by one. */
export async function putItems(items: readonly object[]): Promise<void> {
  await inParallel(chunksOf(items, 25), 4, async (some) => {
    const requests = some.map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    await tableClient().send(new BatchWriteCommand({ RequestItems: { [settings.tableName()]: requests } }));
  });
}

/** Updates an item as no module of the service would, and answers with the whole new item. */
export async function updateRaw(update: Omit<UpdateCommandInput, "TableName">): Promise<Item | undefined> {
  const command = new UpdateCommand({ TableName: settings.tableName(), ReturnValues: "ALL_NEW", ...update });
  return (await tableClient().send(command)).Attributes;
}
