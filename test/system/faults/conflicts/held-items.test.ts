import {
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, expect, test } from "vitest";
import { tableClient } from "../../../../shared/db/table/table.ts";
import { transact } from "../../../../shared/db/table/transaction.ts";
import { settings } from "../../../../shared/settings.ts";
import { inParts, useHeldItems } from "../../../support/faults/held-items.ts";
import { useModelClock } from "../../../support/faults/model-clock.ts";
import { useService } from "../../../support/service/service.ts";
import { modelContention } from "./conflict-model.ts";

useService();
const held = useHeldItems();
const clock = useModelClock();
afterEach(() => held.end());

const put = (pk: string) => ({ Put: { Item: { pk, sk: "ITEM" } } });
const itemOf = (pk: string) => ({ pk: { S: pk }, sk: { S: "ITEM" } });
const inTable = <T extends object>(input: T) => ({ TableName: settings.tableName(), ...input });
const read = (pk: string) => tableClient().send(new GetItemCommand(inTable({ Key: itemOf(pk) })));

function write(...names: readonly string[]) {
  const TransactItems = names.map((pk) => ({ Put: inTable({ Item: itemOf(pk) }) }));
  return tableClient().send(new TransactWriteItemsCommand({ TransactItems }));
}

async function codesOf(sending: Promise<unknown>): Promise<unknown> {
  const error = await sending.catch((thrown: unknown) => thrown);
  if (!(error instanceof TransactionCanceledException)) return error;
  return error.CancellationReasons?.map(({ Code }) => Code);
}

test("a transaction that meets a held item is cancelled and names it; one of other items passes", async () => {
  held.begin();
  const first = write("a", "b");
  const [met, other] = await Promise.all([codesOf(write("c", "b", "d")), write("e"), first]);
  expect(met).toEqual(["None", "TransactionConflict", "None"]);
  expect(other.$metadata.httpStatusCode).toBe(200);
  expect(held.figures).toMatchObject({ transactions: 3, cancelled: 1, refused: 0, met: new Map([["b ITEM", 1]]) });
  await write("b");
});

test("a cancelled transaction holds what it took before the item that it met, for a moment", async () => {
  held.begin();
  const first = write("a", "b");
  const met = codesOf(write("c", "b", "d"));
  expect(await codesOf(write("c"))).toEqual(["TransactionConflict"]);
  await Promise.all([write("d"), met, first]);
  await write("c");
});

test("a single write that meets a held item is refused, a read of it is not, and one in a transaction is", async () => {
  held.begin();
  const first = write("f");
  const single = tableClient().send(new PutItemCommand(inTable({ Item: itemOf("f") })));
  await expect(single).rejects.toThrow(expect.objectContaining({ name: "TransactionConflictException" }));
  const reading = new TransactGetItemsCommand({ TransactItems: [{ Get: inTable({ Key: itemOf("f") }) }] });
  expect(await codesOf(tableClient().send(reading))).toEqual(["TransactionConflict"]);
  expect((await read("f")).Item).toBeUndefined();
  await first;
  expect((await read("f")).Item).toEqual(itemOf("f"));
});

test("a failed condition is the engine's own, and frees the items", async () => {
  held.begin();
  const failing = { Put: { ...put("g").Put, ConditionExpression: "attribute_exists(pk)" } };
  expect(await transact([put("h"), failing])).toEqual([1]);
  expect(await transact([put("h"), put("g")])).toEqual([]);
});

test("every part of a counter becomes its first, and nothing else changes", () => {
  const update = (pk: string, sk: string) => ({
    Update: { TableName: "t", Key: { pk: { S: pk }, sk: { S: sk } }, UpdateExpression: "ADD paid :one" },
  });
  expect(inParts(1)(update("COUNTERS#INVOICES#7", "2026-05#11"))).toEqual(update("COUNTERS#INVOICES#7", "2026-05#00"));
  expect(inParts(1)(update("INVOICE#7", "INVOICE#11"))).toEqual(update("INVOICE#7", "INVOICE#11"));
});

test("the model's figures follow from the seed, and one item lets some thirty transactions through in a second", async () => {
  const change = (at: number) => transact([put(`record-${at}`), put("one item for all")]);
  const [first, again, other] = [
    await modelContention({ clock, held }, 50, change),
    await modelContention({ clock, held }, 50, change),
    await modelContention({ clock, held }, 50, change, { seed: 2 }),
  ];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(first.refused).toBeGreaterThan(5);
  expect(await modelContention({ clock, held }, 50, (at) => transact([put(`record-${at}`)]))).toMatchObject({
    refused: 0,
    cancelled: 0,
  });
});
