import { expect, test } from "vitest";
import { companyLine, invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { arriving, newId, useTarget } from "./target.ts";

const target = useTarget();

function invoices(query: string) {
  return target.request("GET", `/api/v1/finance/invoices?${query}`, { as: "operator" });
}

test("D22: totals and the search by number follow an import and a removal", async () => {
  const id = newId();
  const invoice = invoiceLine(id, target.companyId, { number: `JRN-${id}`, uuid: crypto.randomUUID() });
  const total = async () => Number((await invoices("per_page=1")).headers.get("total"));
  const found = async () => (await invoices(`by_number=jrn-${id}`)).body.invoices.length;
  await target.importLines([invoice]);
  await expect.poll(found, arriving).toBe(1);
  const before = await total();
  await target.importLines([{ type: "invoice", id, deleted: true }]);
  await expect.poll(found, arriving).toBe(0);
  await expect.poll(total, arriving).toBe(before - 1);
}, 90_000);

test("D2, D18, D39: an operator opens and pays timesheets of the own company, all or none, and none of another's", async () => {
  const [other, own, foreign] = [newId(), newId(), newId()];
  await target.importLines([
    companyLine(other, "Other journeys"),
    timesheetLine(own, target.companyId),
    timesheetLine(foreign, other),
  ]);
  const open = (id: number | string) => target.request("GET", `/api/v1/finance/timesheets/${id}`, { as: "operator" });
  expect(await open(own)).toMatchObject({ status: 200, body: { timesheet: { id: own } } });
  for (const id of [foreign, newId(), "none"]) {
    expect(await open(id)).toMatchObject({ status: 404, body: { code: "record_not_found" } });
  }
  const pay = (ids: number[]) => {
    const body = { timesheet: { timesheet_ids: ids, state: "paid" } };
    return target.request("PATCH", "/api/v1/finance/timesheets/bulk_update", { as: "operator", body });
  };
  expect(await pay([own, foreign])).toMatchObject({ status: 404, body: { missing_ids: [foreign] } });
  const states = async () => {
    const { body } = await target.request("GET", "/api/v1/finance/timesheets", { as: "operator" });
    return body.timesheets.map(({ id, state }: { id: number; state: string }) => [id, state]);
  };
  expect(await states()).toEqual([[own, "pending"]]);
  expect(await pay([own])).toMatchObject({ status: 200, body: { timesheets: [{ id: own, state: "paid" }] } });
  await expect.poll(states, arriving).toEqual([[own, "paid"]]);
}, 60_000);

test("a fixed path stands beside one with a place in it: the method decides", async () => {
  const request = (method: string, path: string) => target.request(method, `/api/v1/jobs/${path}`, { as: "admin" });
  expect(await request("GET", "adjust_timer")).toMatchObject({ status: 404, body: { code: "record_not_found" } });
  for (const [path, allowed] of [
    ["5", "GET"],
    ["adjust_timer", "GET, PUT"],
  ] as const) {
    const refused = await request("DELETE", path);
    expect(refused).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(refused.headers.get("allow")).toBe(allowed);
  }
});
