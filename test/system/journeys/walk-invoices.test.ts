import { beforeAll, expect, test } from "vitest";
import { handler } from "../../../functions/finance/list-invoices.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { invoiceLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { idsIn, nextQuery } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const states = ["pending", "paid", "overdue"];
const mostAdditions = 40;
const present = Array.from({ length: 90 }, (_, at) => 1_001 + at * 10);

useService();

beforeAll(() => store(present.map(lineOf)));

/** Every second invoice follows the order of dates, the others do not. */
function lineOf(id: number): object {
  const day = id % 20 === 1 ? (id * 7) % 28 : Math.floor((id - 1_001) / 34);
  const issued_date = `2026-02-${String(1 + (day % 28)).padStart(2, "0")}`;
  return invoiceLine(id, 1 + (id % 3), { state: states[id % 3], issued_date });
}

/** Adds records above what was read, just below it, and further down; gives their ids. */
async function addAround(lastSeen: number, at: number): Promise<number[]> {
  const ids = [50_000 + at, lastSeen + 2, lastSeen - 1, 1_003 + at * 10].filter((id) => id > 0 && id % 10 !== 1);
  await store(ids.map(lineOf));
  return ids;
}

test.each<[name: string, filters: Record<string, string>]>([
  ["no filter", {}],
  ["states", { by_state: "pending,paid,overdue" }],
  ["dates", { from_date: "2026-01-01", to_date: "2026-03-01" }],
  ["dates and a state", { from_date: "2026-02-01", by_state: "paid,pending,overdue" }],
  ["a number", { by_number: "inv-2026" }],
])("D30: pages walked by cursor with %s, while records are added everywhere, give every record present throughout exactly once", async (_, filters) => {
  const seen: number[] = [];
  const added: number[] = [];
  for (let query: Record<string, string> | undefined = { ...filters, per_page: "7" }; query; ) {
    const answer = await call(handler, listInvoices, { as: admin, query });
    seen.push(...idsIn(answer));
    query = nextQuery(answer);
    if (added.length < mostAdditions) added.push(...(await addAround(seen.at(-1) ?? 0, added.length)));
  }
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
  expect(present.filter((id) => !seen.includes(id))).toEqual([]);
});
