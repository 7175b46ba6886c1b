import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { findInvoices } from "../../../../functions/finance/find-invoices.ts";
import { chanceOf } from "../../../../infra/local/demo/demo-chance.ts";
import { createTable } from "../../../../infra/runtime/engine/local-table.ts";
import { Refusal } from "../../../../shared/contract/refusals.ts";
import { findTimesheets, setTimesheetStates } from "../../../../shared/records/timesheets.ts";
import { chunksOf, createTurns } from "../../../../shared/run/batches.ts";
import type { DateRange, FoundPage, PageStart } from "../../../../shared/run/paging.ts";
import { settings } from "../../../../shared/run/settings.ts";
import { tableClient } from "../../../../shared/table/table.ts";
import { callerContext } from "../../../support/records/contexts.ts";
import { invoiceLine, timesheetLine } from "../../../support/records/records.ts";
import { store } from "../../../support/records/store.ts";
import { write } from "../../../support/records/writes.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";

/** Indexes that show a write later than the table does, as those of DynamoDB do and those of local engines do not. */
interface LateIndexes {
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
function useLateIndexes(): LateIndexes {
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

const companies = [1, 2] as const;
const recordsEach = 60;
const days = 20;
const reads = usualFreshOrFull(50, 1_000, 5_000);
const payments = usualFreshOrFull(8, 30, 200);
const readers = 4;

useService();
const late = useLateIndexes();

const idOf = (company: number, at: number) => company * 1_000 + at;
const dateOf = (at: number) => `2026-0${4 + (at % 2)}-${String(1 + (at % days)).padStart(2, "0")}`;
const timesheet = (company: number, at: number) => timesheetLine(idOf(company, at), company, { date: dateOf(at) });
const invoice = (company: number, at: number) =>
  invoiceLine(idOf(company, at), company, { issued_date: dateOf(at), state: at % 3 ? "pending" : "paid" });

beforeAll(async () => {
  const places = companies.flatMap((company) => Array.from({ length: recordsEach }, (_, at) => [company, at] as const));
  await store(places.flatMap(([company, at]) => [timesheet(company, at), invoice(company, at)]));
});

/** Users who pay and take back, and other systems that change, remove and add records, until the reading has ended. */
async function writeUntil(isDone: () => boolean, seed: number): Promise<void> {
  const chance = chanceOf(seed);
  while (!isDone()) {
    const company = chance.pick([1, 2]);
    const at = chance.between(0, recordsEach - 1);
    const id = idOf(company, at);
    const does = chance.pick(["pay", "pay", "pay", "change", "move", "remove", "add"]);
    if (does === "pay") {
      const caller = { userId: 1, role: "operator", companyId: company, sessionId: "s" } as const;
      const ids = Array.from({ length: chance.between(1, 10) }, (_, next) => idOf(company, (at + next) % recordsEach));
      const state = chance.pick<"paid" | "pending">(["paid", "pending"]);
      await setTimesheetStates(ids, company, state, callerContext(caller)).catch(ignoreAbsent);
    } else if (does === "change") await write({ ...invoice(company, at), state: chance.pick(["paid", "pending"]) });
    else if (does === "move") await write({ ...invoice(company, at), issued_date: dateOf(chance.between(0, 99)) });
    else if (does === "remove") await write({ type: chance.pick(["timesheet", "invoice"]), id, deleted: true });
    else await write(chance.percent(50) ? timesheet(company, at) : invoice(company, at));
  }
}

/** A timesheet of a payment may have been removed. */
function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== "records_not_found") throw error;
}

interface Read {
  readonly asked: string;
  readonly contradictions: readonly string[];
}

/** Reads a page by chance. */
async function readPage(chance: ReturnType<typeof chanceOf>): Promise<Read> {
  const scope = chance.pick<1 | 2 | "all">([1, 2, "all"]);
  const limit = chance.pick([5, 20]);
  const start: PageStart = { limit, skip: limit * chance.between(0, 5), beforeId: undefined };
  const range = chance.pick<DateRange>([
    {},
    { fromDate: "2026-04-01", toDate: "2026-05-31" },
    { fromDate: "2026-04-03", toDate: "2026-04-06" },
    { fromDate: "2026-05-01", toDate: "2026-05-31" },
  ]);
  const isInvoices = chance.percent(50);
  const states = chance.pick<("pending" | "paid")[]>([["pending"], ["paid"], ["pending", "paid"]]);
  const number = chance.pick([undefined, "INV-2026", "01"]);
  const filter = { scope, states, ...range, ...(isInvoices && { number }) };
  const page = await (isInvoices ? findInvoices(filter, start) : findTimesheets(filter, start));
  const asked = `${isInvoices ? "invoices" : "timesheets"} ${JSON.stringify(filter)}`;
  return { asked, contradictions: contradictionsOf(page, start) };
}

test(`of ${reads} pages that are read beside writers, while indexes show writes late, none contradicts itself`, async () => {
  await late.begin(1);
  let begun = 0;
  let open = readers;
  const read = async (_: unknown, reader: number) => {
    const chance = chanceOf(reader);
    const found: Read[] = [];
    for (; begun < reads; begun += 1) found.push(await readPage(chance));
    open -= 1;
    return found;
  };
  const [found] = await Promise.all([
    Promise.all(Array.from({ length: readers }, read)),
    writeUntil(() => open === 0, 17),
    writeUntil(() => open === 0, 18),
  ]);
  expect(found.flat().length).toBeGreaterThanOrEqual(reads);
  expect(found.flat().filter(({ contradictions }) => contradictions.length > 0)).toEqual([]);
}, 600_000);

/** A company whose timesheets only the payments of the test change. */
const steady = 3;

test(`a company's total is right in the next read after each of ${payments} payments, while indexes show them late`, async () => {
  const ids = Array.from({ length: recordsEach }, (_, at) => idOf(steady, at));
  await store(ids.map((_, at) => timesheet(steady, at)));
  await late.begin(2);
  const chance = chanceOf(2);
  const caller = { userId: 1, role: "operator", companyId: steady, sessionId: "s" } as const;
  const paid = new Set<number>();
  // A page of one does not know the end of its list, if some have been in the state for long.
  const start = { limit: 1, skip: 0, beforeId: undefined };
  const totalOf = async (states: readonly ("pending" | "paid")[]) =>
    (await findTimesheets({ scope: steady, states }, start)).total;
  for (let at = 0; at < payments; at += 1) {
    const some = ids.slice(10, 50).filter(() => chance.percent(20));
    const state = chance.pick<"paid" | "pending">(["paid", "pending"]);
    await setTimesheetStates(some, steady, state, callerContext(caller));
    for (const id of some) state === "paid" ? paid.add(id) : paid.delete(id);
    expect(await totalOf(["pending"])).toBe(recordsEach - paid.size);
    expect(await totalOf(["pending", "paid"])).toBe(recordsEach);
  }
  expect(late.missed()).toBeGreaterThan(0);
}, 600_000);

/** The contradictions of a page: its total, its rows and its link to more rows must be of one list. */
function contradictionsOf(
  { items, total, hasMore }: Pick<FoundPage<unknown>, "items" | "total" | "hasMore">,
  { limit, skip, beforeId }: PageStart,
): string[] {
  const found: string[] = [];
  const about = `${items.length} of ${limit} rows after ${skip}, total ${total}, ${hasMore ? "more" : "no more"}`;
  const check = (isWrong: boolean, text: string) => void (isWrong && found.push(`${text}: ${about}`));
  const shown = skip + items.length;
  check(hasMore && items.length < limit, "a page that is not full, with rows behind it");
  check(items.length > 0 && total < shown + (hasMore ? 1 : 0), "a total below what is shown");
  if (beforeId !== undefined) return found;
  check(items.length === 0 && total > skip, "an empty page, with rows behind it");
  check(items.length > 0 && !hasMore && total > shown, "the last page, and a total above it");
  return found;
}
