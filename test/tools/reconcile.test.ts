import { expect, test } from "vitest";
import { reconcile } from "../../infra/tools/reconcile.ts";
import { putIf } from "../../shared/db/table/table.ts";
import { invoiceLine } from "../support/records/records.ts";
import { write } from "../support/records/writes.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();

const run = (...parameters: string[]) => runTool(() => reconcile(parameters, directory));

test("a machine that runs has exact totals once its consumers have caught up", async () => {
  await write(invoiceLine(90_001, 90));
  await expect
    .poll(() => run(), { timeout: 20_000 })
    .toMatchObject({ code: 0, out: expect.stringContaining("totals are exact") });
});

test("drift is printed and ends with 1; --repair fixes it and ends with 0", async () => {
  await putIf({ Item: { pk: "TOTALS#INVOICES#91", sk: "ALL", paid: 4, revision: 1 } });
  const found = await run();
  expect(found.code).toBe(1);
  expect(found.out).toContain("TOTALS#INVOICES#91 ALL paid: 4, should be 0");
  expect(await run("--repair")).toMatchObject({ code: 0, out: expect.stringContaining("wrote 1 totals") });
  expect(await run()).toMatchObject({ code: 0 });
}, 30_000);

test("--company compares and repairs one company alone, and takes an id", async () => {
  for (const company of [92, 93]) {
    await putIf({ Item: { pk: `TOTALS#INVOICES#${company}`, sk: "ALL", paid: 4, revision: 1 } });
  }
  const found = await run("--company", "92");
  expect(found).toMatchObject({ code: 1, out: expect.stringContaining("npm run reconcile -- --repair --company 92") });
  expect(found.out).toContain("0 records, 1 differences:\n  TOTALS#INVOICES#92 ALL paid: 4, should be 0");
  expect(await run("--company", "92", "--repair")).toMatchObject({ code: 0 });
  expect(await run("--company", "92")).toMatchObject({ code: 0, out: expect.stringContaining("totals are exact") });
  expect((await run()).out).toContain("TOTALS#INVOICES#93 ALL paid: 4, should be 0");
  await expect(run("--company", "ninety")).rejects.toThrow("--company");
}, 60_000);

test("--help ends with 0", async () => {
  expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("npm run reconcile") });
});
