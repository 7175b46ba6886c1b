import { BatchGetCommand } from "@aws-sdk/lib-dynamodb";
import { settings } from "../settings.ts";
import { documentClient, type Item, type Key } from "./table.ts";

interface Waiting {
  readonly key: Key;
  resolve(item: Item | undefined): void;
  reject(error: unknown): void;
}

const batchSize = 100;

let waiting: Waiting[] = [];

/** Reads one item, consistently. Reads asked for in the same turn of the event loop travel together. */
export function gatherItem(key: Key): Promise<Item | undefined> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(sendGathered);
    waiting.push({ key, resolve, reject });
  });
}

function sendGathered(): void {
  const gathered = waiting;
  waiting = [];
  for (let start = 0; start < gathered.length; start += batchSize) {
    const batch = gathered.slice(start, start + batchSize);
    readItems(batch.map(({ key }) => key)).then(
      (items) => {
        for (const { key, resolve } of batch) resolve(items.get(nameOf(key)));
      },
      (error) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
}

async function readItems(keys: readonly Key[]): Promise<Map<string, Item>> {
  const table = settings.tableName();
  const found = new Map<string, Item>();
  let open: Item[] = [...new Map(keys.map((key) => [nameOf(key), { ...key }])).values()];
  while (open.length > 0) {
    const RequestItems = { [table]: { Keys: open, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await documentClient().send(new BatchGetCommand({ RequestItems }));
    for (const item of Responses?.[table] ?? []) found.set(nameOf(item), item);
    open = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}

function nameOf({ pk, sk }: Item | Key): string {
  return JSON.stringify([pk, sk]);
}
