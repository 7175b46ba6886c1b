import { expect, test } from "vitest";
import { companyLine, timesheetLine } from "../../support/records/records.ts";
import { newId, useTarget } from "./target.ts";

const target = useTarget();

function get(path: string) {
  return target.request("GET", path, { as: "operator" });
}

test("D2, D39: a timesheet is opened by its company, another's is as absent as one that is none", async () => {
  const [other, own, foreign] = [newId(), newId(), newId()];
  const lines = [
    companyLine(other, "Other journeys"),
    timesheetLine(own, target.companyId),
    timesheetLine(foreign, other),
  ];
  await target.importLines(lines);
  expect(await get(`/api/v1/finance/timesheets/${own}`)).toMatchObject({
    status: 200,
    body: { timesheet: { id: own } },
  });
  for (const id of [foreign, newId(), "none"]) {
    const absent = await get(`/api/v1/finance/timesheets/${id}`);
    expect(absent).toMatchObject({ status: 404, body: { code: "record_not_found" } });
  }
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
