import { beforeEach, expect, test } from "vitest";
import { findInvoices } from "../../../../functions/finance/find-invoices.ts";
import { inParallel } from "../../../../shared/run/batches.ts";
import { useNetwork } from "../../../support/faults/network.ts";
import { expectExactCounters } from "../../../support/records/exact-counters.ts";
import { invoiceLine } from "../../../support/records/records.ts";
import { write } from "../../../support/records/writes.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";
import { foundIn, numberStyles, searches } from "./number-searches.ts";

useService();
const proxy = useNetwork();
beforeEach(() => proxy.reset());

const states = ["pending", "paid", "overdue"] as const;
const top = { limit: 20, beforeId: undefined, skip: 0 };

async function idsOf(scope: number | "all", number: string): Promise<number[]> {
  return (await findInvoices({ scope, states, number }, top)).items.map(({ id }) => id);
}

test.each<[string, number]>([
  ["01-", 101],
  ["a ", 102],
  ["0é/", 103],
])("64 characters of %s change their number, company, month and state in one transaction", async (part, id) => {
  const [one, other] = [part, part.replace(/./, "7")].map((each) => each.repeat(64).slice(0, 64));
  await write(invoiceLine(id, 1, { number: one }));
  proxy.reset();
  await write({
    type: "invoice",
    id,
    company_id: 2,
    number: other,
    issued_date: "2025-12-31",
    state: "paid",
    version: 3,
  });
  expect(proxy.calls.get("TransactWriteItems")).toBe(1);
  expect([await idsOf(1, one ?? ""), await idsOf(2, other ?? ""), await idsOf("all", other ?? "")]).toEqual([
    [],
    [id],
    [id],
  ]);
  await write({ type: "invoice", id, deleted: true });
  expect(await idsOf("all", other ?? "")).toEqual([]);
  await expectExactCounters();
});

test("D22: starts with any first character are found, in a company and in all of them", async () => {
  const numbers = ["INV-2026-7", "#7 a", "é8-Z", "𝔘-9", "~0042"];
  for (const [at, number] of numbers.entries()) await write(invoiceLine(900 + at, 3 + (at % 2), { number }));
  for (const [at, number] of numbers.entries()) {
    for (const scope of [3 + (at % 2), "all"] as const) expect(await idsOf(scope, number), number).toEqual([900 + at]);
    expect(await idsOf(4 - (at % 2), number)).toEqual([]);
  }
  expect(await idsOf(4, "42")).toEqual([]);
  expect(await idsOf(3, "42")).toEqual([904]);
  await expectExactCounters();
});

test("D22: the search finds in the table what the rule says, in a company and in all of them", async () => {
  for (const [at, number] of numberStyles.entries()) await write(invoiceLine(500 + at, 6, { number }));
  const some = searches.filter((_, at) => at % usualFreshOrFull(3, 1, 1) === 0);
  await inParallel(some, 8, async ([search, expected]) => {
    const ids = foundIn(expected).map((number) => 500 + numberStyles.indexOf(number));
    for (const scope of [6, "all"] as const) {
      const { items, total } = await findInvoices({ scope, states, number: search }, { ...top, limit: 100 });
      const own = items.filter(({ id }) => id >= 500 && id < 600);
      expect([search, own.map(({ id }) => id)]).toEqual([search, ids.toReversed()]);
      expect(total).toBe(items.length);
    }
  });
}, 120_000);

test("D22: a search of separators alone, or of an alphabet that no number has, reads no invoice", async () => {
  proxy.reset();
  for (const scope of [6, "all"] as const) {
    for (const number of ["-", " / # ", "№"]) expect(await idsOf(scope, number)).toEqual([]);
    expect(proxy.calls.size).toBe(0);
    expect(await idsOf(scope, "Ж".repeat(64))).toEqual([]);
    expect([...proxy.calls]).toEqual([["Query", 1]]);
    proxy.reset();
  }
});
