import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import { acquireRun } from "../../shared/db/idempotency.ts";
import { acquirePushLease } from "../../shared/db/notifications/pushes.ts";
import { deleteIf, putIf, tryUpdate, updateIf } from "../../shared/db/table/table.ts";
import { transact } from "../../shared/db/table/transaction.ts";
import { isTransientError } from "../../shared/db/table/transient-errors.ts";
import { updateOf } from "../../shared/db/table/updates.ts";
import { useLossyNetwork } from "../support/faults/lossy-network.ts";
import { readItem } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";

useService();
const network = useLossyNetwork();
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
  const changes = (next: string) =>
    updateOf(key, {
      where: { state: "pending" },
      set: { state: next, "inner.state": next },
      remove: ["mark"],
      add: { writes: 1 },
    });
  expect(await interrupted(() => updateIf(changes("paid")))).toMatchObject({ state: "paid", writes: 1 });
  expect(await readItem(key)).toMatchObject({ writes: 1 });
  const found = { isWritten: false, item: { state: "paid" } };
  expect(await interrupted(() => tryUpdate(changes("overdue")))).toMatchObject(found);
});

test("a delete whose answer was lost is its own when it is repeated", async () => {
  const key = newKey();
  await putIf({ Item: { ...key, run: "one" } });
  const remove = { Key: key, ConditionExpression: "run = :run", ExpressionAttributeValues: { ":run": "one" } };
  expect(await interrupted(() => deleteIf(remove))).toBe(true);
});

test("a transaction whose answer was lost is written once", async () => {
  const key = newKey();
  const writes = [{ Put: { Item: { ...key }, ...ifAbsent } }];
  expect(await interrupted(() => transact(writes))).toEqual([]);
  expect(await transact(writes)).toEqual([0]);
});

test("D32: a run that was begun or taken over with a lost answer is under way, and not another's", async () => {
  const fields = { userId: 1, operation: "adjust-job-timers", key: crypto.randomUUID(), fingerprint: "one" };
  const request = { ...fields, matches: (fingerprint: string) => fingerprint === fields.fingerprint };
  const begun = new Date();
  expect(await interrupted(() => acquireRun(request, begun))).toMatchObject({ run: { requestedAt: begun } });
  const later = new Date(begun.getTime() + 120_000);
  network.lose(3, "interrupted");
  expect(await acquireRun(request, later)).toMatchObject({ run: { requestedAt: begun } });
  expect(network.heal()).toBe("UpdateItem");
});

test("D29: a lease that was acquired with a lost answer is the worker's own", async () => {
  const now = new Date();
  expect(await interrupted(() => acquirePushLease(1, 2, now))).toMatchObject({ served: [] });
  await expect(acquirePushLease(1, 2, new Date(now.getTime() + 1))).rejects.toMatchObject({ code: "busy" });
});

test("a transaction that the table can never carry out is no error that passes", () => {
  const reasonsOf = (Code: string) => [{ Code: "None" }, { Code }];
  const cancelled = (Code: string) =>
    new TransactionCanceledException({ message: "no", $metadata: {}, CancellationReasons: reasonsOf(Code) });
  expect(isTransientError(cancelled("ValidationError"))).toBe(false);
  expect(isTransientError(cancelled("ItemCollectionSizeLimitExceeded"))).toBe(false);
  expect(isTransientError(cancelled("ThrottlingError"))).toBe(true);
});
