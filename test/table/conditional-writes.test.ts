import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { acquireLease } from "../../functions/workers/notify-password-changed.ts";
import { requireRecord, toFields } from "../../shared/records/items.ts";
import { isTransientError } from "../../shared/table/retry.ts";
import { recordKey } from "../../shared/table/table.ts";
import {
  anyOf,
  deleteIf,
  ifUnchanged,
  lacks,
  putIf,
  transact,
  tryUpdate,
  updateIf,
  updateOf,
} from "../../shared/table/writes.ts";
import { useNetwork } from "../support/faults/network.ts";
import { jobLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

useService();
const network = useNetwork();
let last = 0;

function newKey() {
  last += 1;
  return { pk: `OWN#${last}`, sk: "OWN" };
}

/** Runs a write whose first answer is lost, after it was carried out. */
async function interrupted<T>(write: () => Promise<T>): Promise<T> {
  network.lose(1, "interrupted");
  const outcome = await write();
  expect(network.heal()).toBeDefined();
  return outcome;
}

const mostTwo = { values: { ":most": 2 } };
const ifAbsent = { ConditionExpression: "attribute_not_exists(pk)" };

test("a put whose answer was lost is its own when it is repeated; another's put is not", async () => {
  const key = newKey();
  const Item = { ...key, run: "one", inner: { a: 1, b: undefined } };
  expect(await interrupted(() => putIf({ Item, ...ifAbsent }))).toBe(true);
  expect(await interrupted(() => putIf({ Item: { ...Item, run: "two" }, ...ifAbsent }))).toBe(false);
  // The same content without a repeated call is another's.
  expect(await putIf({ Item, ...ifAbsent })).toBe(false);
});

test("an update whose answer was lost gives the item as it was written, and another's gives what was found", async () => {
  const key = newKey();
  await putIf({ Item: { ...key, state: "pending", mark: "due", inner: { state: "pending" } } });
  const changes = (next: string) => ({
    where: { state: "pending" },
    set: { state: next, "inner.state": next },
    remove: ["mark"],
    add: { writes: 1 },
  });
  expect(await interrupted(() => updateIf(key, changes("paid")))).toMatchObject({ state: "paid", writes: 1 });
  expect(await readItem(key)).toMatchObject({ writes: 1 });
  const found = { isWritten: false, item: { state: "paid" } };
  expect(await interrupted(() => tryUpdate(key, changes("overdue")))).toMatchObject(found);
});

test("what is added is added once though the answer was lost, and the item is answered as it was written", async () => {
  const key = newKey();
  const count = () => updateIf(key, { when: anyOf(lacks("sent"), "sent < :most"), ...mostTwo, add: { sent: 1 } });
  expect(await interrupted(count)).toMatchObject({ sent: 1 });
  expect(await interrupted(count)).toMatchObject({ sent: 2 });
  expect(await interrupted(count)).toBeUndefined();
  expect(await interrupted(() => updateIf(key, { add: { sent: 1 } }))).toEqual(await readItem(key));
  expect(await readItem(key)).toMatchObject({ sent: 3 });
});

test("what is added is added once too often, never too few times, if another write came between the tries", async () => {
  const key = newKey();
  network.lose(1, "interrupted", () => updateIf(key, { add: { sent: 1 } }));
  expect(await updateIf(key, { add: { sent: 1 } })).toMatchObject({ sent: 3 });
  expect(network.heal()).toBe("UpdateItem");
});

test("a write by its revision is made once if another write came between the tries, and takes nothing back", async () => {
  const key = newKey();
  await putIf({ Item: { ...key, revision: 1, paid: 0 } });
  const raise = (revision: number, paid: number) =>
    tryUpdate(key, { where: { revision }, set: { paid }, add: { revision: 1 } });
  network.lose(1, "interrupted", () => raise(2, 9));
  expect(await raise(1, 5)).toMatchObject({ isWritten: false, item: { revision: 3, paid: 9 } });
  network.heal();
  const replace = (revision: number, paid: number) =>
    putIf({ Item: { ...key, revision: revision + 1, paid }, ...ifUnchanged({ revision }) });
  network.lose(1, "interrupted", () => replace(4, 7));
  expect(await replace(3, 6)).toBe(false);
  network.heal();
  expect(await readItem(key)).toMatchObject({ revision: 5, paid: 7 });
});

test("a transaction between the tries is another's write", async () => {
  const key = newKey();
  await putIf({ Item: { ...key, revision: 1 }, ...ifAbsent });
  network.lose(1, "interrupted", () => transact([{ Update: updateOf(key, { add: { revision: 1 } }) }]));
  expect(await tryUpdate(key, { where: { revision: 1 }, add: { revision: 1 } })).toMatchObject({ isWritten: false });
  network.heal();
  const put = async () => transact([{ Put: { Item: { ...(await readItem(key)), revision: 9 } } }]);
  network.lose(1, "interrupted", put);
  expect(await tryUpdate(key, { where: { revision: 3 }, add: { revision: 1 } })).toMatchObject({ isWritten: false });
  network.heal();
  expect(await readItem(key)).toEqual({ ...key, revision: 9, schema_version: 1 });
});

test("what the service shows and compares of an item has no name of its last write", async () => {
  await store([jobLine(1, 1)]);
  await write(jobLine(1, 1, { number: 2 }));
  expect(await readItem(recordKey("JOB", 1))).toMatchObject({ write_id: expect.stringMatching(/^[\w-]{16}$/) });
  expect(await write(jobLine(1, 1, { number: 2 }))).toBe("unchanged");
  expect(toFields(await requireRecord("JOBS", 1, "all"))).not.toHaveProperty("write_id");
});

test("a delete whose answer was lost is its own when it is repeated", async () => {
  const key = newKey();
  await putIf({ Item: { ...key, run: "one" } });
  const remove = { Key: key, ConditionExpression: "run = :run", ExpressionAttributeValues: { ":run": "one" } };
  expect(await interrupted(() => deleteIf(remove))).toBe(true);
  await putIf({ Item: { ...key, run: "one" } });
  network.lose(1, "interrupted", () => putIf({ Item: { ...key, run: "two" } }));
  expect(await deleteIf(remove)).toBe(false);
  network.heal();
});

test("a transaction whose answer was lost is written once", async () => {
  const key = newKey();
  const writes = [{ Put: { Item: { ...key }, ...ifAbsent } }];
  expect(await interrupted(() => transact(writes))).toEqual([]);
  expect(await transact(writes)).toEqual([0]);
});

test("D14: a lease that was acquired with a lost answer is the worker's own", async () => {
  const now = new Date();
  const notice = { kind: "password_changed", at: now } as const;
  expect(await interrupted(() => acquireLease(1, notice, now))).toMatchObject({ served: [] });
  await expect(acquireLease(1, notice, new Date(now.getTime() + 1))).rejects.toMatchObject({ code: "busy" });
});

test("a transaction that the table can never carry out is no error that passes", () => {
  const reasonsOf = (Code: string) => [{ Code: "None" }, { Code }];
  const cancelled = (Code: string) =>
    new TransactionCanceledException({ message: "no", $metadata: {}, CancellationReasons: reasonsOf(Code) });
  expect(isTransientError(cancelled("ValidationError"))).toBe(false);
  expect(isTransientError(cancelled("ItemCollectionSizeLimitExceeded"))).toBe(false);
  expect(isTransientError(cancelled("ThrottlingError"))).toBe(true);
});
