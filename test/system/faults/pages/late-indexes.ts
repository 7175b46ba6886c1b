import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, inject } from "vitest";
import { chanceOf } from "../../../../infra/local/demo/demo-chance.ts";
import { createTable } from "../../../../infra/runtime/engine/local-table.ts";
import { chunksOf, createTurns } from "../../../../shared/run/batches.ts";
import { settings } from "../../../../shared/run/settings.ts";
import { tableClient } from "../../../../shared/table/table.ts";

/** Indexes that show a write later than the table does, as those of DynamoDB do and those of local engines do not. */
export interface LateIndexes {
  /** From now on chance decides at each query which writes an index shows by then; the same seed draws the same. */
  begin(seed: number): Promise<void>;
  /** The number of writes that queries did not show since then. */
  missed(): number;
}

type StoredItem = Record<string, unknown>;

interface WriteRequest {
  readonly PutRequest?: { readonly Item: StoredItem };
  readonly DeleteRequest?: { readonly Key: StoredItem };
}

interface LateIndex {
  /** The table beside the real one that alone has this index, and is asked in its place. */
  readonly table: string;
  readonly attributes: readonly string[];
  /** The writes that it does not show yet, the last one of each item. */
  readonly due: Map<string, WriteRequest>;
  /** The items that it has, or had. */
  readonly known: Set<string>;
}

/** A write is seen by one in so many queries for the first time: some are late for as long as a test reads. */
const shownPercent = 10;

/**
 * Gives every index of a test file's table a table of its own. Each write of the service's client is copied there before a query
 * that shows it, and the engine answers queries of the index from there. The copies of one item keep their order; those of several
 * items or indexes have none. Writes of other processes are not copied. Call it after `useService`.
 */
export function useLateIndexes(): LateIndexes {
  const name = "late-indexes";
  const indexes = new Map<string, LateIndex>();
  const inTurn = createTurns();
  let client: DynamoDBClient;
  let chance: ReturnType<typeof chanceOf> | undefined;
  let missed = 0;

  /** Reads one after the other, so that what is read later is what the item became later. */
  const capture = (keys: readonly StoredItem[]) =>
    inTurn(name, async () => {
      const table = settings.tableName();
      const request = { [table]: { Keys: [...keys], ConsistentRead: true } };
      const { Responses } = await client.send(new BatchGetCommand({ RequestItems: request }));
      const found = new Map((Responses?.[table] ?? []).map((item) => [nameOf(item), item]));
      for (const key of keys) for (const index of indexes.values()) plan(index, key, found.get(nameOf(key)));
    });
  const plan = ({ attributes, due, known }: LateIndex, key: StoredItem, item: StoredItem | undefined) => {
    const itemName = nameOf(key);
    const isIn = item !== undefined && attributes.every((attribute) => attribute in item);
    if (isIn) known.add(itemName);
    if (known.has(itemName)) due.set(itemName, isIn ? { PutRequest: { Item: item } } : { DeleteRequest: { Key: key } });
  };
  const show = ({ table, due }: LateIndex) =>
    inTurn(table, async () => {
      const shown = [...due].filter(() => chance?.percent(shownPercent) ?? true);
      missed += due.size - shown.length;
      for (const [itemName] of shown) due.delete(itemName);
      for (const chunk of chunksOf(shown, 25)) {
        const RequestItems = { [table]: chunk.map(([, request]) => request) };
        await client.send(new BatchWriteCommand({ RequestItems }));
      }
    });

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
      indexes.set(index.IndexName ?? "", { table, attributes, due: new Map(), known: new Set() });
    }
    tableClient().middlewareStack.add(
      (next) => async (args) => {
        const input = args.input as Input;
        const index = indexes.get(input.IndexName ?? "");
        if (index) {
          await show(index);
          return next({ ...args, input: { ...args.input, TableName: index.table } as never });
        }
        const written = keysOf(input);
        // What failed may have been carried out.
        return next(args).finally(() => (written.length > 0 ? capture(written) : undefined));
      },
      { step: "initialize", name },
    );
  });
  afterAll(() => {
    tableClient().middlewareStack.remove(name);
    client.destroy();
  });
  return {
    async begin(seed) {
      chance = undefined;
      for (const index of indexes.values()) await show(index);
      chance = chanceOf(seed);
      missed = 0;
    },
    missed: () => missed,
  };
}

/** The parts of calls that name items to be written, or an index. */
interface Input {
  readonly IndexName?: string;
  readonly Item?: StoredItem;
  readonly Key?: StoredItem;
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
  return { ...(pk !== undefined && { pk }), ...(sk !== undefined && { sk }) };
}

function nameOf({ pk, sk }: StoredItem): string {
  return `${pk} ${sk}`;
}
