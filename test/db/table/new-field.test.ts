import * as v from "valibot";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type * as finance from "../../../shared/contract/finance.ts";
import { callerLine, invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { useService } from "../../support/service/service.ts";
import { tokenOf } from "../../support/tokens/tokens.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const contract = "../../../shared/contract/finance.ts";

useService();

/** The contract of the next release: invoices, timesheets, their drivers and their timelogs have a purchase order. */
async function withPurchaseOrder(released: typeof finance) {
  const { since } = await import("../../../shared/contract/since.ts");
  const purchase_order = since("1.1", v.nullable(v.string()), null);
  const driver = v.object({ ...released.driver.entries, purchase_order });
  const invoice = v.object({ ...released.invoice.entries, purchase_order });
  const timelog = v.object({ ...released.timelog.entries, purchase_order });
  const timesheet = v.object({ ...released.timesheet.entries, driver, timelog, purchase_order });
  return {
    ...released,
    driver,
    invoice,
    timelog,
    timesheet,
    listInvoices: { ...released.listInvoices, answer: invoice },
    listTimesheets: { ...released.listTimesheets, answer: timesheet },
    bulkUpdateTimesheets: { ...released.bulkUpdateTimesheets, answer: timesheet },
  };
}

/** The service as one release has it: modules of its own, on the same table. */
async function loadRelease(isNext: boolean) {
  vi.resetModules();
  if (isNext) vi.doMock(contract, async (importOriginal) => withPurchaseOrder(await importOriginal()));
  else vi.doUnmock(contract);
  const { call } = await import("../../support/requests/call.ts");
  const { write } = await import("../../support/records/writes.ts");
  const { store } = await import("../../support/records/store.ts");
  const { bulkUpdateTimesheets, listInvoices, listTimesheets } = await import("../../../shared/contract/finance.ts");
  const { handler: invoices } = await import("../../../functions/finance/list-invoices.ts");
  const { handler: timesheets } = await import("../../../functions/finance/list-timesheets.ts");
  const { handler: bulkUpdate } = await import("../../../functions/finance/bulk-update-timesheets.ts");
  const { openApiDocument } = await import("../../../shared/openapi/document.ts");
  // The key that is published is that of this file's own modules.
  const headers = { authorization: `Bearer ${await tokenOf(admin)}` };
  return {
    write,
    store,
    openApiDocument,
    invoices: async (company: number, query: object = {}) => {
      const asked = { headers, query: { by_company: String(company), ...query } };
      const { status, body } = await call(invoices, listInvoices, asked);
      expect(status).toBe(200);
      return body.invoices;
    },
    timesheets: async (company: number) => {
      const asked = { headers, query: { by_company: String(company) } };
      const { status, body } = await call(timesheets, listTimesheets, asked);
      expect(status).toBe(200);
      return body.timesheets;
    },
    pay: (id: number) =>
      call(bulkUpdate, bulkUpdateTimesheets, {
        headers,
        body: { timesheet: { timesheet_ids: [id], state: "paid" } },
      }),
  };
}

let released: Awaited<ReturnType<typeof loadRelease>>;
let next: Awaited<ReturnType<typeof loadRelease>>;

beforeAll(async () => {
  released = await loadRelease(false);
  next = await loadRelease(true);
  await released.store([callerLine(admin)]);
});

describe("D38: a field that the next release adds", () => {
  test("shows its default on what was stored before, in every list, before any import", async () => {
    await released.store([invoiceLine(1, 1), timesheetLine(1, 1)]);
    const dates = { from_date: "2026-01-01", to_date: "2026-12-31" };
    for (const query of [{}, dates, { by_number: "INV" }, { ...dates, by_state: "pending" }]) {
      expect(await next.invoices(1, query)).toMatchObject([{ id: 1, purchase_order: null }]);
    }
    expect(await next.timesheets(1)).toMatchObject([{ purchase_order: null, driver: { purchase_order: null } }]);
    const paid = await next.pay(1);
    expect(paid).toMatchObject({ status: 200, body: { timesheets: [{ purchase_order: null, state: "paid" }] } });
  });

  test("may be left out of an import line, of new records and of old ones, and shows where a line has it", async () => {
    await released.store([invoiceLine(2, 2)]);
    expect(await next.write(invoiceLine(2, 2))).toBe("unchanged");
    expect(await next.write(invoiceLine(2, 2, { total: "1.00" }))).toBe("updated");
    expect(await next.write(invoiceLine(3, 2))).toBe("created");
    expect(await next.invoices(2)).toMatchObject([{ purchase_order: null }, { purchase_order: null, total: "1.00" }]);
    await next.write(invoiceLine(2, 2, { purchase_order: "PO-2" }));
    await next.write(invoiceLine(2, 2, { total: "2.00" }));
    expect(await next.invoices(2)).toMatchObject([{ id: 3 }, { id: 2, purchase_order: "PO-2", total: "2.00" }]);
  });

  test("is kept by the release that does not know it inside an embedded object as well", async () => {
    const { driver, timelog } = timesheetLine(6, 5);
    const embedded = {
      driver: { ...driver, purchase_order: "PO-D" },
      timelog: { ...timelog, duration: { hours: 1, further: 1 }, purchase_order: "PO-T" },
    };
    await next.store([timesheetLine(6, 5, { ...embedded, purchase_order: "PO-6" })]);
    expect(await released.pay(6)).toMatchObject({ status: 200 });
    expect(await released.write(timesheetLine(6, 5, { driver: undefined, total: "6.00" }))).toBe("updated");
    const line = timesheetLine(6, 5, { driver: { ...driver, last_name: "Renamed" } });
    expect(await released.write(line)).toBe("updated");
    expect(await released.write(line)).toBe("unchanged");
    const [shown] = await next.timesheets(5);
    expect(shown).toMatchObject({ purchase_order: "PO-6", driver: { last_name: "Renamed", purchase_order: "PO-D" } });
    expect(shown.timelog).toEqual({ ...timelog, purchase_order: "PO-T" });
  });

  test("may be left out inside an embedded object, which then keeps it; a line that changes nothing writes nothing", async () => {
    const { driver, timelog } = timesheetLine(8, 7);
    await released.store([timesheetLine(8, 7)]);
    expect(await next.write(timesheetLine(8, 7))).toBe("unchanged");
    expect(await next.write(timesheetLine(8, 7, { driver: { ...driver, purchase_order: "PO-D" } }))).toBe("updated");
    expect(await next.write(timesheetLine(8, 7, { timelog: { ...timelog, purchase_order: "PO-T" } }))).toBe("updated");
    for (const release of [next, released]) expect(await release.write(timesheetLine(8, 7))).toBe("unchanged");
    const kept = { driver: { purchase_order: "PO-D" }, timelog: { purchase_order: "PO-T" } };
    expect(await next.timesheets(7)).toMatchObject([kept]);
    expect(await next.write(timesheetLine(8, 7, { driver: { ...driver, purchase_order: null } }))).toBe("updated");
    expect(await next.timesheets(7)).toMatchObject([{ driver: { purchase_order: null } }]);
  });

  test("is in the next release's document, required in answers, with what older records show", () => {
    const { schemas } = next.openApiDocument().components as { schemas: Record<string, { required: string[] }> };
    expect(schemas.Invoice?.required).toContain("purchase_order");
    expect(JSON.stringify(schemas.Invoice)).toContain("Since 1.1; null where the record is older.");
  });
});
