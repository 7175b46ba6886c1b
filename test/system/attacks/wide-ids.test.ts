import { beforeAll, expect, test } from "vitest";
import { handler as listInvoicesHandler } from "../../../functions/finance/list-invoices.ts";
import { handler as listTimesheetsHandler } from "../../../functions/finance/list-timesheets.ts";
import { listInvoices, listTimesheets } from "../../../shared/contract/finance.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { idsIn, nextQuery } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const company = 9_000_000_000_000_001;
const ids = [Number.MAX_SAFE_INTEGER, 1_234_567_890_123_456, 15];
const dates = { from_date: "2026-01-01", to_date: "2026-12-31" };

useService();

beforeAll(() =>
  store(ids.flatMap((id) => [invoiceLine(id, company, { uuid: crypto.randomUUID() }), timesheetLine(id, company)])),
);

test.each([{}, dates, { by_number: "INV" }])("D22: invoices of a company whose id has 16 digits: %j", async (query) => {
  const by_company = String(company);
  const answer = await call(listInvoicesHandler, listInvoices, { as: admin, query: { by_company, ...query } });
  expect(idsIn(answer)).toEqual(ids);
  expect(answer.headers.total).toBe("3");
});

test("D22, D37: timesheets of a company whose id has 16 digits", async () => {
  const query = { by_company: "9000000000000001", ...dates };
  const answer = await call(listTimesheetsHandler, listTimesheets, { as: admin, query });
  expect(idsIn(answer)).toEqual(ids);
});

test("D30: a cursor leads past ids of 16 digits", async () => {
  const by_company = String(company);
  const first = await call(listInvoicesHandler, listInvoices, { as: admin, query: { by_company, per_page: "2" } });
  const second = await call(listInvoicesHandler, listInvoices, { as: admin, query: nextQuery(first) ?? {} });
  expect(idsIn(second)).toEqual([15]);
});
