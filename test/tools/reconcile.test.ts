import { expect, test } from "vitest";
import { reconcile } from "../../infra/tools/reconcile.ts";
import { putIf } from "../../shared/db/table/conditional-writes.ts";
import { tableClient } from "../../shared/db/table/table.ts";
import { invoiceLine } from "../support/records/records.ts";
import { write } from "../support/records/writes.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();

const graceMs = 300;
const run = (...parameters: string[]) => runTool(() => reconcile(parameters, directory, graceMs));

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

/** Lets `each` see every call of the table that some work makes, while it is under way. */
async function besideCalls<T>(
  each: (command: string, call: () => Promise<unknown>) => unknown,
  work: () => Promise<T>,
) {
  const name = `calls-${crypto.randomUUID()}`;
  const stack = tableClient().middlewareStack;
  stack.add(
    (next, { commandName = "" }) =>
      async (args) =>
        (await each(commandName, () => next(args))) as never,
    {
      step: "initialize",
      name,
    },
  );
  return work().finally(() => stack.remove(name));
}

test("the engine of a local machine is asked for one page after the other, of the whole table", async () => {
  let [underWay, most, all] = [0, 0, 0];
  const watch = async (command: string, call: () => Promise<unknown>) => {
    if (command !== "ScanCommand") return call();
    [underWay, all] = [underWay + 1, all + 1];
    most = Math.max(most, underWay);
    return call().finally(() => {
      underWay -= 1;
    });
  };
  await besideCalls(watch, () => run());
  expect(most).toBe(1);
  expect(all).toBeGreaterThan(1);
}, 30_000);

test("a repair that the table stops answering says what to do, and the same command ends it", async () => {
  for (const company of [95, 96]) {
    await putIf({ Item: { pk: `TOTALS#INVOICES#${company}`, sk: "ALL", paid: 4, revision: 1 } });
  }
  let writes = 0;
  const stop = (command: string, call: () => Promise<unknown>) => {
    if (command === "TransactWriteItemsCommand") writes += 1;
    if (writes === 2) throw Object.assign(new Error("a request has exceeded its time"), { name: "TimeoutError" });
    return call();
  };
  await expect(besideCalls(stop, () => run("--repair"))).rejects.toThrow(
    /exceeded its time\nWhat is repaired stays so. Call the same command again/,
  );
  expect(await run("--repair")).toMatchObject({ code: 0, out: expect.stringMatching(/wrote [12] totals/) });
}, 30_000);

test("--help ends with 0", async () => {
  expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("npm run reconcile") });
});
