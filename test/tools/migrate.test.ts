import { expect, test } from "vitest";
import { migrate } from "../../infra/tools/migrate.ts";
import { putIf } from "../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../shared/db/table/keys.ts";
import { getItem } from "../../shared/db/table/table.ts";
import { updateRaw } from "../support/records/raw-writes.ts";
import { invoiceLine } from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();

const run = (...parameters: string[]) => runTool(() => migrate(parameters, directory));

test("items of release 0.1 are counted by a dry run, rewritten by a run, and left alone by the next", async () => {
  await write(invoiceLine(90_001, 90));
  const Key = { ...recordKey("INVOICE", 90_001) };
  await updateRaw({ Key, UpdateExpression: "REMOVE schema_version" });
  expect(await run("--dry-run")).toMatchObject({ code: 0, out: expect.stringMatching(/would be rewritten\.\n/) });
  expect(await readItem(recordKey("INVOICE", 90_001))).not.toHaveProperty("schema_version");
  expect(await run("--rate", "10000")).toMatchObject({ code: 0, out: expect.stringMatching(/ {2}invoice: \d+\n/) });
  expect(await readItem(recordKey("INVOICE", 90_001))).toMatchObject({ schema_version: 1 });
  expect(await run("--restart")).toMatchObject({ code: 0, out: expect.stringContaining(", 0 rewritten.") });
}, 60_000);

test("a run that goes on from one that missed items says so, and ends with 1", async () => {
  await run();
  const place = { pk: "MIGRATION", sk: "RUN" };
  const cursor = { ...recordKey("INVOICE", 90_001) };
  await putIf({ Item: { ...(await getItem(place)), cursor, missed: 2 } });
  expect(await run()).toMatchObject({ code: 1, out: expect.stringContaining("2 were not rewritten before") });
  expect(await run()).toMatchObject({ code: 0 });
});

test("--rate takes a whole number in its range", async () => {
  for (const rate of ["0", "1.5", "many", "10001"])
    await expect(run("--rate", rate)).rejects.toThrow("--rate is a whole");
});

test("an item that belongs to no entity is counted and left alone", async () => {
  await putIf({ Item: { pk: "STRANGER", sk: "STRANGER" } });
  expect(await run()).toMatchObject({ code: 0, out: expect.stringMatching(/of no kind that this release knows/) });
});

test("--help ends with 0", async () => {
  expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("npm run migrate") });
});
