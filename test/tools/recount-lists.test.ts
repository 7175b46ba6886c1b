import { beforeEach, describe, expect, test } from "vitest";
import { chanceOf } from "../../infra/local/demo/demo-chance.ts";
import { findCountedCompanies } from "../../infra/tools/recount/counted-companies.ts";
import { listNames } from "../../infra/tools/recount/list-counters.ts";
import { describeDifference, recount } from "../../infra/tools/recount/recount-lists.ts";
import { sleep } from "../../shared/run/backoff.ts";
import type { ListName } from "../../shared/table/counters.ts";
import { counterKey } from "../../shared/table/counters.ts";
import { recordKey } from "../../shared/table/table.ts";
import { putIf, transact, updateOf } from "../../shared/table/writes.ts";
import { beforeCalls } from "../support/faults/before-calls.ts";
import { useNetwork } from "../support/faults/network.ts";
import { invoiceLine, jobLine, timesheetLine } from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { usualFreshOrFull } from "../support/service/fresh-counts.ts";
import { useService } from "../support/service/service.ts";

useService();
const proxy = useNetwork();
beforeEach(() => proxy.reset());

const waits = { apartMs: 0, lagMs: 0 };
let lastCompany = 100;

function newCompany(): number {
  lastCompany += 1;
  return lastCompany;
}

/** The differences that a recount of all lists of a company finds. */
async function differencesOf(companyId: number, options = {}): Promise<string[]> {
  const found = await Promise.all(listNames.map((list) => recount({ list, companyId }, { ...waits, ...options })));
  return found.flatMap(({ differences }) => differences.map(describeDifference));
}

/** Adds to a figure without a write that the counter knows of, as a fault would. */
async function falsify(
  list: ListName,
  companyId: number,
  month: string,
  part: number,
  figures: Record<string, number>,
) {
  const key = counterKey({ list, companyId, month }, part);
  await transact([{ Update: updateOf(key, { add: figures }) }]);
}

async function storeSome(companyId: number): Promise<void> {
  const id = companyId * 1_000;
  await write(invoiceLine(id, companyId));
  await write(invoiceLine(id + 1, companyId, { state: "paid" }));
  await write(invoiceLine(id + 2, companyId, { issued_date: "2026-06-02" }));
  await write(timesheetLine(id, companyId));
  await write(jobLine(id, companyId));
}

test("what was written by transactions has no difference, and costs no read of a record", async () => {
  const company = newCompany();
  await storeSome(company);
  await write({ type: "invoice", id: company * 1_000, deleted: true });
  proxy.reset();
  expect(await recount({ list: "INVOICES", companyId: company }, waits)).toEqual({ records: 2, differences: [] });
  expect(Object.fromEntries(proxy.calls)).toEqual({ Query: 5 });
});

test("a company without records has none, and figures that it should not have are", async () => {
  const company = newCompany();
  expect(await recount({ list: "JOBS", companyId: company }, waits)).toEqual({ records: 0, differences: [] });
  await falsify("JOBS", company, "ALL", 0, { published: 2 });
  await falsify("TIMESHEETS", company, "2026-01", 0, { "05a": 1 });
  expect(await differencesOf(company, { repairs: true })).toEqual([
    `TIMESHEETS of company ${company}, 2026-01: 05a -1`,
    `JOBS of company ${company}, ALL: published -2`,
  ]);
  expect(await differencesOf(company)).toEqual([]);
});

describe("a figure that was falsified", () => {
  const cases: { name: string; list: ListName; month: string; figure: string; part: number }[] = [
    { name: "of all invoices", list: "INVOICES", month: "ALL", figure: "paid", part: 7 },
    { name: "of a month", list: "INVOICES", month: "2026-05", figure: "01p", part: 3 },
    { name: "of a month without records", list: "TIMESHEETS", month: "2025-12", figure: "31a", part: 7 },
    { name: "of jobs", list: "JOBS", month: "ALL", figure: "published", part: 0 },
  ];
  const parts = [0, 3, 7];
  test.each(cases)("$name is found and repaired, whichever part has it", async ({ list, month, figure, part: one }) => {
    for (const part of usualFreshOrFull([one], parts, parts)) {
      const company = newCompany();
      await storeSome(company);
      await falsify(list, company, month, part, { [figure]: 7 });
      const found = [`${list} of company ${company}, ${month}: ${figure} -7`];
      expect(await differencesOf(company), `part ${part}`).toEqual(found);
      expect(await differencesOf(company, { repairs: true }), `part ${part}`).toEqual(found);
      expect(await differencesOf(company), `part ${part}`).toEqual([]);
    }
  });

  test("in a month and in all months is repaired in both, to what the records are", async () => {
    const company = newCompany();
    await storeSome(company);
    await falsify("INVOICES", company, "2026-05", 3, { "01p": -4 });
    await falsify("INVOICES", company, "ALL", 2, { pending: 5, paid: -1 });
    expect(await differencesOf(company, { repairs: true })).toEqual([
      `INVOICES of company ${company}, 2026-05: 01p +4`,
      `INVOICES of company ${company}, ALL: pending -5, paid +1`,
    ]);
    expect(await differencesOf(company)).toEqual([]);
  });

  test("in more counters than a transaction takes is repaired in all", async () => {
    const company = newCompany();
    await storeSome(company);
    const months = [2025, 2026].flatMap((year) => Array.from({ length: 9 }, (_, at) => `${year}-0${at + 1}`));
    for (const [at, month] of months.entries()) await falsify("INVOICES", company, month, 1, { "03o": at + 1 });
    expect(await differencesOf(company, { repairs: true })).toHaveLength(months.length);
    expect(await differencesOf(company)).toEqual([]);
  });
});

test("parts may be absent or below zero as long as their sum is right", async () => {
  const company = newCompany();
  await storeSome(company);
  await falsify("INVOICES", company, "2026-05", 0, { "01p": -3 });
  await falsify("INVOICES", company, "2026-05", 6, { "01p": 3 });
  expect(await differencesOf(company)).toEqual([]);
  await transact([{ Delete: { Key: counterKey({ list: "INVOICES", companyId: company, month: "2026-05" }, 0) } }]);
  expect(await differencesOf(company, { repairs: true })).toEqual([
    `INVOICES of company ${company}, 2026-05: 01p -2, 01a +1`,
  ]);
  expect(await differencesOf(company)).toEqual([]);
});

test("a record that was damaged stands in no counter", async () => {
  const company = newCompany();
  await storeSome(company);
  const key = recordKey("INVOICE", company * 1_000);
  const stored = await readItem(key);
  await putIf({ Item: { ...stored, record: { state: "pending" } } });
  expect(await differencesOf(company, { repairs: true })).toEqual([
    `INVOICES of company ${company}, 2026-05: 01p -1`,
    `INVOICES of company ${company}, ALL: pending -1`,
  ]);
  await write(invoiceLine(company * 1_000, company));
  expect(await differencesOf(company)).toEqual([]);
});

test("without repair nothing is written", async () => {
  const company = newCompany();
  await storeSome(company);
  await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
  proxy.reset();
  await differencesOf(company);
  expect([...proxy.calls.keys()].sort()).toEqual(["BatchGetItem", "Query"]);
});

/** Lets something happen before each transaction of a repair; gives what it found, and how often it began. */
async function repairBeside(companyId: number, happens: (count: number) => Promise<unknown>) {
  let [begun, isBusy] = [0, false];
  const beside = async (command: string) => {
    if (command !== "TransactWriteItemsCommand" || isBusy) return;
    [begun, isBusy] = [begun + 1, true];
    await happens(begun);
    isBusy = false;
  };
  const found = await beforeCalls(beside, () => differencesOf(companyId, { repairs: true }));
  return { begun, found };
}

describe("a repair", () => {
  test("that a write comes before begins again, and repairs what differs then", async () => {
    const company = newCompany();
    await storeSome(company);
    await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
    const { begun, found } = await repairBeside(company, async (count) => {
      if (count === 1) await write(invoiceLine(company * 1_000 + 10, company));
    });
    expect(found).toEqual([`INVOICES of company ${company}, 2026-05: 01p -7`]);
    expect(begun).toBe(2);
    expect(await differencesOf(company)).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7])("that writes of part %i come before begins again", async (part) => {
    const company = newCompany();
    await storeSome(company);
    await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
    const { begun } = await repairBeside(company, async (count) => {
      if (count === 1) await falsify("INVOICES", company, "2026-05", part, { "02p": 1, writes: 1 });
    });
    expect(begun).toBe(2);
    expect(await differencesOf(company)).toEqual([]);
  });

  test("of a month does not wait for writes of others", async () => {
    const company = newCompany();
    await storeSome(company);
    await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
    const lineOf = (at: number) => invoiceLine(company * 1_000 + 10 + at, company, { issued_date: "2026-09-09" });
    const { begun } = await repairBeside(company, (count) => write(lineOf(count)));
    expect(begun).toBe(1);
    expect(await differencesOf(company)).toEqual([]);
  });

  test("that others come before each time says so", async () => {
    const company = newCompany();
    await storeSome(company);
    await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
    const work = repairBeside(company, (count) => write(invoiceLine(company * 1_000 + 10 + count, company)));
    await expect(work).rejects.toThrow(`Others write the counters of the INVOICES of company ${company}`);
  });
});

/** Recounts invoices with repairs, and does something before some of its queries: the first look makes five. */
async function recountBeside(companyId: number, happens: Readonly<Record<number, () => Promise<unknown>>>) {
  let queries = 0;
  const beside = async (command: string) => {
    if (command !== "QueryCommand") return;
    queries += 1;
    await happens[queries]?.();
  };
  const { differences } = await beforeCalls(beside, () =>
    recount({ list: "INVOICES", companyId }, { ...waits, repairs: true }),
  );
  expect(queries).toBeGreaterThanOrEqual(Math.max(...Object.keys(happens).map(Number)));
  return differences.map(describeDifference);
}

test.each([
  ["beside the first look", 3],
  ["between the looks", 6],
])("a difference of one look alone is none: a write %s", async (_, nth) => {
  const company = newCompany();
  await storeSome(company);
  await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
  const takeBack = () => falsify("INVOICES", company, "2026-05", 0, { "01p": -7 });
  expect(await recountBeside(company, { [nth]: takeBack })).toEqual([]);
  expect(await differencesOf(company)).toEqual([]);
});

test("a counter that is written beside both looks has no difference, though each finds one more record than it had", async () => {
  const company = newCompany();
  await storeSome(company);
  await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
  const add = (at: number) => () => write(invoiceLine(company * 1_000 + at, company, { issued_date: "2026-06-02" }));
  const found = await recountBeside(company, { 2: add(10), 7: add(11) });
  expect(found).toEqual([`INVOICES of company ${company}, 2026-05: 01p -7`]);
  expect(await differencesOf(company)).toEqual([]);
});

test.each(
  usualFreshOrFull([1], [1, 2, 3], [1, 2, 3]),
)("beside writers only what is wrong is repaired, and all is right in the end (run %i)", async (seed) => {
  const chance = chanceOf(seed);
  const pick = <T>(...all: readonly [T, ...T[]]): T => all[chance.between(0, all.length - 1)] ?? all[0];
  const [company, other] = [newCompany(), newCompany()];
  await storeSome(company);
  await falsify("INVOICES", company, "2026-05", 0, { "01p": 7 });
  await falsify("TIMESHEETS", company, "ALL", 3, { pending: -2 });
  const wrong = [
    `INVOICES of company ${company}, 2026-05: 01p -7`,
    `TIMESHEETS of company ${company}, ALL: pending +2`,
  ];
  let isOver = false;
  const writeInTurn = async (own: number) => {
    while (!isOver) {
      const id = company * 1_000 + 100 + own * 20 + chance.between(0, 19);
      const [owner, state] = [pick(company, company, other), pick("pending", "paid")];
      const line = chance.percent(50)
        ? invoiceLine(id, owner, { state, issued_date: pick("2026-05-01", "2026-05-30", "2026-06-01") })
        : timesheetLine(id, owner, { state, date: pick("2026-05-04", "2026-04-30") });
      await write(chance.percent(10) ? { type: line.type, id, deleted: true } : line);
      await sleep(chance.between(0, 60));
    }
  };
  const writers = Promise.all([0, 1, 2].map(writeInTurn));
  const repaired: string[] = [];
  const repair = (list: ListName) =>
    recount({ list, companyId: company }, { ...waits, repairs: true }).then(
      ({ differences }) => void repaired.push(...differences.map(describeDifference)),
      (error: Error) => expect(error.message).toContain("Others write the counters"),
    );
  for (let round = 0; round < usualFreshOrFull(8, 20, 20); round += 1) {
    await Promise.all(listNames.map(repair));
  }
  isOver = true;
  await writers;
  repaired.push(...(await differencesOf(company, { repairs: true })));
  expect(repaired.sort()).toEqual(wrong);
  expect([await differencesOf(company), await differencesOf(other)]).toEqual([[], []]);
});

test("the companies are those that have counters in any list, by id", async () => {
  for (const line of [jobLine(90_001, 90_003), invoiceLine(90_001, 90_001), timesheetLine(90_001, 90_002)])
    await write(line);
  const companies = await findCountedCompanies();
  expect(companies.filter((id) => id > 90_000)).toEqual([90_001, 90_002, 90_003]);
  expect(companies).toEqual([...companies].sort((one, other) => one - other));
});
