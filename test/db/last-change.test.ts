import { expect, test } from "vitest";
import { acquireRun, handOnRun } from "../../shared/db/idempotency.ts";
import { updateIf } from "../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../shared/db/table/keys.ts";
import { readTableChange } from "../../shared/db/table/table-changes.ts";
import { carryOut } from "../../shared/work.ts";
import { jobLine } from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { useService } from "../support/service/service.ts";
import { streamRecord } from "../support/workers/workers.ts";

useService();
const key = recordKey("JOB", 1);
const during = <T>(request_id: string, run: () => T) => carryOut({ operation: "test", request_id }, run);
const raise = () => updateIf(key, { add: { revision: 1 } });

test("a write of a record says which request it follows from, and one of no request leaves nothing of the last", async () => {
  expect(await during("one", () => write(jobLine(1, 1), { notifies: true }))).toBe("created");
  expect(await readItem(key)).toMatchObject({ change: { request: "one" } });
  expect(await during("two", raise)).toMatchObject({ change: { request: "two" } });
  expect(await raise()).not.toHaveProperty("change");
  await during("three", raise);
  await write(jobLine(1, 1, { title: "Driver" }));
  expect(await readItem(key)).not.toHaveProperty("change");
});

test("a record that stays as it is stays so with another request: nothing is written for its id", async () => {
  await during("four", () => write(jobLine(2, 1)));
  expect(await during("five", () => write(jobLine(2, 1)))).toBe("unchanged");
  expect(await readItem(recordKey("JOB", 2))).toMatchObject({ change: { request: "four" } });
});

test("a change of the stream follows from the request that its item names, unless that was an earlier change", () => {
  const item = { ...key, revision: 2, change: { request: "six" } };
  const requestOf = (before: object | undefined, after: object | undefined) =>
    readTableChange(streamRecord(key, { before: before as never, after: after as never })).requestId;
  expect(requestOf(undefined, item)).toBe("six");
  expect(requestOf({ ...item, revision: 1 }, item)).toBe("six");
  expect(requestOf(item, { ...item, moved: true })).toBeUndefined();
  expect(requestOf(item, undefined)).toBeUndefined();
});

test("D32: a run that is taken over goes on in the name of the request that began it: it writes the very same", async () => {
  const asked = {
    userId: 1,
    operation: "adjust-job-timers",
    key: "taken-over",
    fingerprint: "one",
    matches: () => true,
  };
  const first = await during("seven", () => acquireRun(asked, new Date()));
  if (!("run" in first)) throw new Error("The key was used before");
  expect(first.run.continues).toBeUndefined();
  await handOnRun(first.run);
  const second = await during("eight", () => acquireRun(asked, new Date()));
  expect(second).toMatchObject({ run: { token: first.run.token, continues: { request: "seven" } } });
});
