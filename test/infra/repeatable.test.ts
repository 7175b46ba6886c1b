import { expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { type OperationName, operations } from "../../shared/contract/operations.ts";
import { leaseSeconds } from "../../shared/db/idempotent-runs.ts";

const idempotent = operations.filter(({ idempotent }) => idempotent);

test("D32: the operations that take an Idempotency-Key", () => {
  const names = idempotent.map(({ name }) => name).sort();
  expect(names).toEqual(["adjust-job-timers", "bulk-update-timesheets", "mark-notifications", "undo-change"]);
});

test.each(idempotent)("D32: $name may keep its answers, and is over before its lease", ({ name }) => {
  const { table, readsHmacKey, timeoutSeconds = 20 } = functions[name as OperationName];
  expect(table).toEqual(expect.arrayContaining(["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"]));
  expect(readsHmacKey).toBe(true);
  // A clock may be some seconds off.
  expect(leaseSeconds).toBeGreaterThanOrEqual(timeoutSeconds + 20);
});
