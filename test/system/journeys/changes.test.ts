import { expect, test } from "vitest";
import { timesheetLine } from "../../support/records/records.ts";
import { arriving, newId, useTarget } from "./target.ts";

const target = useTarget();

const bulkUpdate = "/api/v1/finance/timesheets/bulk_update";
const request = (method: string, path: string, body?: object) =>
  target.request(method, path, { as: "operator", ...(body && { body }) });

test("D41: a payment is made and undone; the history says who did it, when and from what", async () => {
  const [first, second] = [newId(), newId()];
  const ids = [first, second];
  await target.importLines(ids.map((id) => timesheetLine(id, target.companyId)));
  const states = () =>
    Promise.all(ids.map(async (id) => (await request("GET", `/api/v1/finance/timesheets/${id}`)).body.timesheet.state));
  const payment = { timesheet: { timesheet_ids: ids, state: "paid" } };

  const paid = await request("PATCH", bulkUpdate, payment);
  const paidId = paid.headers.get("change-id");
  expect([paid.status, paidId]).toEqual([200, expect.any(String)]);
  expect((await request("PATCH", bulkUpdate, payment)).headers.get("change-id")).toBeNull();
  const undone = await request("POST", `/api/v1/changes/${paidId}/undo`, { change: {} });
  expect(undone).toMatchObject({ status: 200, body: { change: { undone: paidId, record_ids: ids } } });
  const undoneId = undone.headers.get("change-id");
  expect(await states()).toEqual(["pending", "pending"]);
  const again = await request("POST", `/api/v1/changes/${paidId}/undo`, { change: {} });
  expect(again).toMatchObject({ status: 409, body: { code: "change_undone" } });

  const query = `record_type=Timesheet&record_id=${first}`;
  const history = async () => {
    const { body } = await request("GET", `/api/v1/changes?${query}`);
    return body.changes.map(({ change_id, operation, by, fields }: Entry) => {
      const state = fields.find(({ name }) => name === "state");
      return [operation, by.kind, state?.before, state?.after, operation === "import" ? undefined : change_id];
    });
  };
  await expect.poll(history, arriving).toEqual([
    ["undo-change", "user", "paid", "pending", undoneId],
    ["bulk-update-timesheets", "user", "pending", "paid", paidId],
    ["import", "import", null, "pending", undefined],
  ]);
  const ofChange = await request("GET", `/api/v1/changes?change_id=${paidId}`);
  expect(ofChange.body.changes.map(({ record_id }: Entry) => record_id).toSorted()).toEqual(ids.toSorted());
}, 90_000);

interface Entry {
  readonly change_id: string;
  readonly record_id: number;
  readonly operation: string;
  readonly by: { readonly kind: string };
  readonly fields: readonly { readonly name: string; readonly before: unknown; readonly after: unknown }[];
}
