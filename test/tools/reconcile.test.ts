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

test("--help ends with 0", async () => {
  expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("npm run reconcile") });
});
