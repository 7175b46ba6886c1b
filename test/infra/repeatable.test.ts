import { expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { type OperationName, operations } from "../../shared/contract/operations.ts";

const idempotent = operations.filter(({ idempotent }) => idempotent);

test("D32: the operations that take an Idempotency-Key", () => {
  const names = idempotent.map(({ name }) => name).sort();
  expect(names).toEqual(["adjust-job-timers", "bulk-update-timesheets", "mark-notifications", "undo-change"]);
});

test.each(idempotent)("D32: $name may read and store changes, and knows their fingerprints", ({ name }) => {
  const { table, readsHmacKey } = functions[name as OperationName];
  expect(table).toEqual(expect.arrayContaining(["GetItem", "BatchGetItem", "PutItem"]));
  expect(readsHmacKey).toBe(true);
});
