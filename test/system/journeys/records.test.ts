import { expect, test } from "vitest";
import { companyLine, invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { arriving, newId, useTarget } from "./target.ts";

const target = useTarget();

const pathOf: Readonly<Record<string, string>> = {
  Job: "/api/v1/jobs",
  Invoice: "/api/v1/finance/invoices",
  Timesheet: "/api/v1/finance/timesheets",
};

function get(path: string) {
  return target.request("GET", path, { as: "operator" });
}

/** The newest notification of a type, once it is about that record. */
async function notificationOf(type: string, id: number): Promise<{ record_type: string; record_id: number }> {
  const find = async () => {
    const { body } = await get("/api/v1/users/notifications?per_page=50");
    return body.notifications.find((each: { record_type: string; record_id: number }) => {
      return each.record_type === type && each.record_id === id;
    });
  };
  await expect.poll(find, arriving).toBeDefined();
  return find();
}

test.each([
  ["Job", jobLine],
  ["Invoice", invoiceLine],
] as const)(
  "D39: the record that a notification names is opened: %s",
  async (type, line) => {
    const id = newId();
    const unique = type === "Job" ? { number: 4_007 } : { number: `JRN-${id}`, uuid: crypto.randomUUID() };
    const record = { ...line(id, target.companyId, unique), event_id: `${type}-${id}-1`, version: 1 };
    target.removeAtEnd({ type: type.toLowerCase(), id });
    await target.putEvent("Record", record);
    const { record_type, record_id } = await notificationOf(type, id);
    const opened = await get(`${pathOf[record_type]}/${record_id}`);
    expect(opened).toMatchObject({ status: 200, body: { [type.toLowerCase()]: { id } } });
  },
  60_000,
);

test("D2, D39: a timesheet is opened by its company, another's is as absent as one that is none", async () => {
  const [other, own, foreign] = [newId(), newId(), newId()];
  const lines = [
    companyLine(other, "Other journeys"),
    timesheetLine(own, target.companyId),
    timesheetLine(foreign, other),
  ];
  await target.importLines(lines);
  expect(await get(`${pathOf.Timesheet}/${own}`)).toMatchObject({ status: 200, body: { timesheet: { id: own } } });
  for (const id of [foreign, newId(), "none"]) {
    const absent = await get(`${pathOf.Timesheet}/${id}`);
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
