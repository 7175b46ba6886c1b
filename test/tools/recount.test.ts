import { beforeAll, expect, test } from "vitest";
import { recountLists } from "../../infra/tools/recount.ts";
import { counterWrites } from "../../shared/table/counters.ts";
import { transact } from "../../shared/table/writes.ts";
import { invoiceLine } from "../support/records/records.ts";
import { write } from "../support/records/writes.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();
const run = (...parameters: string[]) => runTool(() => recountLists(parameters, directory, { apartMs: 50, lagMs: 50 }));
const tooMany = (companyId: number) => ({
  list: "INVOICES" as const,
  companyId,
  month: "ALL",
  figures: new Map([["paid", 4]]),
});

beforeAll(async () => {
  for (const company of [91, 92]) await transact(counterWrites([tooMany(company)], 0));
  await write(invoiceLine(90_001, 90));
});

test("a company's difference is printed and ends with 1; --repair adds it and ends with 0", async () => {
  const out =
    "INVOICES of company 91, ALL: paid -4\n0 records, counters that differ: 1. --repair adds the differences.\n";
  expect(await run("--company", "91")).toMatchObject({ code: 1, out });
  const repaired = await run("--company", "91", "--repair");
  expect(repaired).toMatchObject({ code: 0, out: out.replace(/1\. .*/, "1, repaired.") });
  expect(await run("--company", "91")).toMatchObject({ code: 0, out: "0 records, all counters are exact.\n" });
});

test("all are the companies that have counters, records of demo data among them", async () => {
  const found = await run("--company", "all");
  expect(found).toMatchObject({ code: 1, out: expect.stringContaining("INVOICES of company 92, ALL: paid -4\n") });
  expect(found.out).toMatch(/^\d{3,} records, counters that differ: 1\. --repair adds the differences\.$/m);
  expect(await run("--company", "all", "--repair")).toMatchObject({ code: 0 });
  expect((await run("--company", "all")).out).toMatch(/^\d{3,} records, all counters are exact\.$/m);
}, 60_000);

test("--company takes an id, or all", async () => {
  for (const wrong of [[], ["--company", "ninety"], ["--company", "0"]]) {
    await expect(run(...wrong)).rejects.toThrow("--company takes the id of a company, or all");
  }
});
