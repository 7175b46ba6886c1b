import {
  BatchWriteItemCommand,
  type BatchWriteItemCommandInput,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { chunksOf } from "../../../shared/batches.ts";
import { keepHistory } from "../../../shared/db/history/keep-history.ts";
import { countChanges } from "../../../shared/db/lists/update-totals.ts";
import { readBatch } from "../../../shared/db/table/batch-reads.ts";
import { type RecordKind, recordKey } from "../../../shared/db/table/item-keys.ts";
import type { StreamRecord } from "../../../shared/db/table/stream-records.ts";
import { tableClient } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";
import { testChange } from "../../support/records/contexts.ts";
import { costOf } from "../../support/records/costs.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { write } from "../../support/records/writes.ts";
import { type Figure, median } from "../figures.ts";

/** The most that the consumer is given at once. */
const batch = 100;
const mostReadUnits = 1.1;
/** Counting beside what the engine allows to the same writes. */
const leastShare = 60;
const company = 77;
/** Ids as the service gives them. */
const firstId = 1_000_000_000;
const now = new Date("2026-05-10T12:00:00.000Z");

/** A change as a request of a user makes it. */
const user = testChange("user#7", "one");

type Line = { readonly type: string; readonly id: number };

/** Writes lines, and gives their changes as the stream does. */
async function changesOf(lines: readonly Line[], change = testChange()): Promise<StreamRecord[]> {
  const keys = lines.map(({ type, id }) => recordKey(type.toUpperCase() as RecordKind, id));
  const readAll = async () => (await Promise.all(chunksOf(keys, batch).map((chunk) => readBatch(chunk)))).flat();
  const before = await readAll();
  for (const chunk of chunksOf(lines, 50)) await Promise.all(chunk.map((line) => write(line, { change })));
  const after = await readAll();
  return keys.map((key, at) => ({ eventId: `${key.pk}-${at}`, key, before: before[at], after: after[at] }));
}

const day = (id: number) => `2026-06-${String(1 + (id % 30)).padStart(2, "0")}`;
const stateOf = (at: number) => (["pending", "paid", "overdue"] as const)[Math.floor(at / 30) % 3] ?? "pending";
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, at) => firstId + first + at);
const newInvoice = (id: number) => invoiceLine(id, company, { issued_date: day(id), number: "INV-2026-00031" });
const changedInvoice = (state: string) => (id: number) => ({ type: "invoice", id, state });
const timesheet = (id: number) => timesheetLine(id, company, { date: day(id) });

/** What is counted, in this order: each begins where the one before has left the month. */
const mixes = [
  { name: "a new invoice with four search entries, alone", lines: idsFrom(1_000, 1).map(newInvoice), most: 22 },
  { name: "a changed state, alone", lines: idsFrom(5, 1).map(changedInvoice("overdue")), most: 14 },
  { name: "new invoices", lines: idsFrom(2_000, batch).map(newInvoice), most: 11 },
  { name: "changed states", lines: idsFrom(2_000, batch).map(changedInvoice("paid")), most: 3 },
  { name: "timesheets", lines: idsFrom(0, batch).map(timesheet), most: 2.5 },
];

/** Units that a record takes, in a month that has every day and state: of the table and its indexes. */
export async function measureUnits(): Promise<Figure[]> {
  const dense = await changesOf(
    idsFrom(0, 180).map((id, at) => invoiceLine(id, company, { issued_date: day(id), state: stateOf(at) })),
  );
  for (const chunk of chunksOf(dense, batch)) await countChanges(chunk, now);
  const figures: Figure[] = [];
  for (const { name, lines, most } of mixes) {
    const changes = await changesOf(lines);
    const { writeUnits, readUnits } = await costOf(() => countChanges(changes, now));
    const whole = lines.length === 1 ? name : `${lines.length} ${name}, of one company and month`;
    figures.push({ name: `${whole}: write units each`, value: writeUnits / lines.length, unit: "", atMost: most });
    const read = { name: `${whole}: read units each`, value: readUnits / lines.length, unit: "" };
    // The first reads what the bounds of the month are.
    figures.push(figures.length === 1 ? read : { ...read, atMost: mostReadUnits });
  }
  return figures;
}

/**
 * Records that one consumer counts in a second, a hundred at a time, and the share of what the engine allows: the same writes
 * are made again in an empty table beside it, those at the same time that were, without anything being read or decided.
 */
export async function measurePace(count: number, twin: string): Promise<Figure[]> {
  const ids = idsFrom(1_000_000, count + batch);
  const kinds = [
    ["new invoices", (id: number) => invoiceLine(id, company, { issued_date: day(id) })],
    ["invoices of changed state", changedInvoice("paid")],
    ["timesheets", timesheet],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, lineOf] of kinds) {
    const times = await timesOf(await changesOf(ids.map(lineOf)), twin);
    const seconds = times.reduce((sum, { counting }) => sum + counting, 0) / 1_000;
    const share = median(times.map(({ counting, writing }) => (100 * writing) / counting));
    figures.push(
      { name: `${name} that one consumer counts`, value: (times.length * batch) / seconds, unit: "/s" },
      { name: "  of what the engine's own writes allow", value: share, unit: "%", atLeast: leastShare },
    );
  }
  const changes = await changesOf(ids.map(changedInvoice("pending")), user);
  return [...figures, await measureWhole(changes)];
}

/** Records that one consumer counts in a second where it keeps their history as well, as it does of what users change. */
async function measureWhole(changes: readonly StreamRecord[]): Promise<Figure> {
  const times: number[] = [];
  for (const chunk of chunksOf(changes, batch)) {
    times.push(await timeOf(() => Promise.all([countChanges(chunk, now), keepHistory(chunk)])));
  }
  const seconds = times.slice(1).reduce((sum, time) => sum + time, 0) / 1_000;
  const name = "invoices of changed state that one consumer counts and keeps the history of";
  return { name, value: ((times.length - 1) * batch) / seconds, unit: "/s" };
}

/** Milliseconds that counting each batch takes, and that its writes alone take, in turn. What the first takes is left out. */
async function timesOf(changes: readonly StreamRecord[], twin: string) {
  const times: { readonly counting: number; readonly writing: number }[] = [];
  for (const chunk of chunksOf(changes, batch)) {
    const made: Write[][] = [];
    const counting = await timeOf(() => recording(made, () => countChanges(chunk, now)));
    const there: Write[][] = JSON.parse(JSON.stringify(made).replaceAll(settings.tableName(), twin));
    const writing = await timeOf(async () => {
      for (const together of there) await Promise.all(together.map(({ command, input }) => commands[command](input)));
    });
    times.push({ counting, writing });
  }
  return times.slice(1);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const commands = {
  BatchWriteItemCommand: (input: BatchWriteItemCommandInput) => tableClient().send(new BatchWriteItemCommand(input)),
  TransactWriteItemsCommand: (input: TransactWriteItemsCommandInput) =>
    tableClient().send(new TransactWriteItemsCommand({ ...input, ClientRequestToken: crypto.randomUUID() })),
  UpdateItemCommand: (input: UpdateItemCommandInput) => tableClient().send(new UpdateItemCommand(input)),
};

interface Write {
  readonly command: keyof typeof commands;
  readonly input: never;
}

/** Adds the writes of some work to `made`, those together that are under way at once. */
async function recording(made: Write[][], work: () => Promise<unknown>): Promise<void> {
  let underWay = 0;
  const name = `writes-${crypto.randomUUID()}`;
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const command = Object.keys(commands).find((each): each is Write["command"] => each === commandName);
        if (!command) return next(args);
        if (underWay === 0) made.push([]);
        made.at(-1)?.push({ command, input: args.input as never });
        underWay += 1;
        return next(args).finally(() => {
          underWay -= 1;
        });
      },
    { step: "initialize", name },
  );
  await work();
  tableClient().middlewareStack.remove(name);
}
