import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, inject } from "vitest";
import { chanceOf } from "../../../../infra/local/demo/demo-chance.ts";
import { createTable } from "../../../../infra/local/engine/local-table.ts";
import { sleep } from "../../../../shared/backoff.ts";
import { chunksOf } from "../../../../shared/batches.ts";
import { tableClient } from "../../../../shared/db/table/table.ts";
import { settings } from "../../../../shared/settings.ts";

/** Indexes that show a write later than the table does, as those of DynamoDB do and those of local engines do not. */
export interface LateIndexes {
  /** From now on each index shows a write after a time of its own, up to 2 s; the same seed draws the same times. */
  begin(seed?: number): void;
  /**
   * Ends that: waits until the indexes show all that is written, and from then on a write waits until they show it. Gives
   * the number of writes that they did not show before.
   */
  end(): Promise<number>;
}

type StoredItem = Record<string, AttributeValue>;

/** The state of an item that an index shows from a moment on; undefined if the item was gone. */
interface Due {
  readonly at: number;
  readonly name: string;
  readonly key: StoredItem;
  readonly item: StoredItem | undefined;
}

interface LateIndex {
  /** The table beside the real one that alone has this index, and is asked in its place. */
  readonly table: string;
  readonly attributes: readonly string[];
  due: Due[];
  /** When what an item became last is shown: what it becomes next is not shown before. */
  readonly lastAt: Map<string, number>;
}

const tickMs = 10;
const mostMs = 2_000;

/**
 * Gives every index of a test file's table a table of its own. Each write of the service's client is copied there after a delay, and
 * the engine answers queries of the index from there, so that any query sees the index as it was. The copies of one item keep their
 * order; those of several items or indexes have none. Writes of other processes are not copied. Call it after `useService`.
 */
export function useLateIndexes(): LateIndexes {
  const name = "late-indexes";
  const indexes = new Map<string, LateIndex>();
  let client: DynamoDBClient;
  let isLate = false;
  let chance = chanceOf(1);
  let pending: StoredItem[] = [];
  let capturing: Promise<void> = Promise.resolve();
  let ticking: Promise<void> | undefined;
  let isOver = false;

  const isBehind = () => [...indexes.values()].some(({ due }) => due.length > 0);
  /** Reads one after the other, so that what is read later is what the item became later. */
  const capture = (keys: readonly StoredItem[]): Promise<void> => {
    pending.push(...keys);
    capturing = capturing.then(async () => {
      const wanted = [...new Map(pending.map((key) => [nameOf(key), key])).values()];
      pending = [];
      for (const chunk of chunksOf(wanted, 100)) await captureChunk(chunk);
    });
    return capturing;
  };
  const captureChunk = async (keys: readonly StoredItem[]) => {
    const table = settings.tableName();
    const request = { [table]: { Keys: [...keys], ConsistentRead: true } };
    const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: request }));
    const found = new Map((Responses?.[table] ?? []).map((item) => [nameOf(item), item]));
    for (const key of keys) for (const index of indexes.values()) plan(index, key, found.get(nameOf(key)));
    beginTicking();
  };
  const plan = (index: LateIndex, key: StoredItem, item: StoredItem | undefined) => {
    const isIn = item !== undefined && index.attributes.every((attribute) => attribute in item);
    const itemName = nameOf(key);
    if (!isIn && !index.lastAt.has(itemName)) return;
    const drawn = Date.now() + (isLate ? chance.between(0, mostMs) : 0);
    const at = Math.max(drawn, index.lastAt.get(itemName) ?? 0);
    index.lastAt.set(itemName, at);
    index.due.push({ at, name: itemName, key, item: isIn ? item : undefined });
  };
  const tick = async () => {
    while (!isOver && isBehind()) {
      await Promise.all(
        [...indexes.values()].map((index) => show(index, isLate ? Date.now() : Number.POSITIVE_INFINITY)),
      );
      if (isLate) await sleep(tickMs);
    }
  };
  const beginTicking = () => {
    ticking ??= tick().finally(() => {
      ticking = undefined;
      if (!isOver && isBehind()) beginTicking();
    });
  };
  const show = async (index: LateIndex, until: number) => {
    const [now, later] = [index.due.filter(({ at }) => at <= until), index.due.filter(({ at }) => at > until)];
    index.due = later;
    // The sort is stable: of one item, what it became last is last.
    const last = new Map(now.toSorted((one, other) => one.at - other.at).map((due) => [due.name, due]));
    for (const chunk of chunksOf([...last.values()], 25)) {
      const requests = chunk.map(
        ({ key, item }): WriteRequest => (item ? { PutRequest: { Item: item } } : { DeleteRequest: { Key: key } }),
      );
      await client.send(new BatchWriteItemCommand({ RequestItems: { [index.table]: requests } }));
    }
  };
  const settle = async () => {
    await capturing;
    while (ticking) await ticking;
  };

  beforeAll(async () => {
    client = new DynamoDBClient({});
    const { GlobalSecondaryIndexes = [], AttributeDefinitions = [], KeySchema } = inject("tableDefinition");
    for (const index of GlobalSecondaryIndexes) {
      const attributes = (index.KeySchema ?? []).map(({ AttributeName = "" }) => AttributeName);
      const table = `${settings.tableName()}-${index.IndexName}`;
      const own = AttributeDefinitions.filter(({ AttributeName = "" }) =>
        ["pk", "sk", ...attributes].includes(AttributeName),
      );
      await createTable(client, { KeySchema, AttributeDefinitions: own, GlobalSecondaryIndexes: [index] }, table);
      indexes.set(index.IndexName ?? "", { table, attributes, due: [], lastAt: new Map() });
    }
    tableClient().middlewareStack.add(
      (next) => async (args) => {
        const input = args.input as Input;
        const index = input.IndexName === undefined ? undefined : indexes.get(input.IndexName);
        if (index) return next({ ...args, input: { ...args.input, TableName: index.table } as never });
        const written = keysOf(input);
        // What failed may have been carried out.
        return next(args).finally(() => {
          const captured = written.length > 0 ? capture(written) : undefined;
          return isLate ? undefined : captured?.then(settle);
        });
      },
      { step: "initialize", name },
    );
  });
  afterAll(async () => {
    isOver = true;
    await settle();
    tableClient().middlewareStack.remove(name);
    client.destroy();
  });
  return {
    begin(seed = 1) {
      isLate = true;
      chance = chanceOf(seed);
    },
    async end() {
      await capturing;
      const late = [...indexes.values()].reduce((sum, { due }) => sum + due.length, 0);
      isLate = false;
      await settle();
      return late;
    },
  };
}

/** The parts of calls that name items to be written, or an index. */
interface Input {
  readonly IndexName?: string;
  readonly Item?: StoredItem;
  readonly Key?: StoredItem;
  readonly UpdateExpression?: string;
  readonly TransactItems?: readonly Readonly<
    Record<string, { readonly Item?: StoredItem; readonly Key?: StoredItem }>
  >[];
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

/** The keys of the items that a call writes; those of an item that it reads alone are harmless among them. */
function keysOf({ Item, Key, TransactItems = [], RequestItems = {} }: Input): StoredItem[] {
  const ofTransaction = TransactItems.flatMap((write) => Object.values(write));
  const ofBatch = Object.values(RequestItems)
    .filter((requests): requests is WriteRequest[] => Array.isArray(requests))
    .flat()
    .map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key);
  const written = [Item ?? Key, ...ofTransaction.map((each) => each.Item ?? each.Key), ...ofBatch];
  return written.flatMap((item) => (item ? [keyOf(item)] : []));
}

function keyOf({ pk, sk }: StoredItem): StoredItem {
  return { ...(pk && { pk }), ...(sk && { sk }) };
}

function nameOf({ pk, sk }: StoredItem): string {
  return `${pk?.S} ${sk?.S}`;
}
