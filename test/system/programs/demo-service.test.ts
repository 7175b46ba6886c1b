import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withLocalService } from "../../../infra/tools/service/local-service.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { updateRaw } from "../../support/records/items.ts";
import { companyLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeDemoDirectory } from "../../support/service/demo-machine.ts";
import { runTool, startLocalMachine } from "../../support/service/local-machine.ts";

const directory = await makeDemoDirectory();
/** Consumers of the stream and workers of queues come after the answer. */
const following = { timeout: 30_000, interval: 1_000 };
const own = useOwnMachine(directory);
const { request } = own;

function timesheets(role: string, ids: readonly number[], state: string) {
  const body = { timesheet: { timesheet_ids: ids, state } };
  return request("PATCH", "/api/v1/finance/timesheets/bulk_update", { role, body });
}

test("a file is imported, listed and updated", async () => {
  const file = join(directory.path, "records.jsonl");
  const invoice = { ...(await request("GET", "/api/v1/finance/invoices", { role: "operator" })).body.invoices[0] };
  const lines = [
    companyLine(901, "Wren & Co"),
    userLine(9_001, { email: "wren.ashby@example.com", financial_company_id: 901 }),
    timesheetLine(9_001, 1),
    timesheetLine(9_002, 1),
    { ...invoice, type: "invoice", id: 9_001, company_id: 1, number: "WREN-0001", uuid: crypto.randomUUID() },
    { type: "invoice", id: 9_002 },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const imported = await runTool("infra/tools/import.ts", [file], directory.path);
  expect(imported).toMatchObject({ code: 1, stdout: expect.stringContaining("5 created") });
  expect(imported.stderr).toContain("line 6");

  // The search by number is made from the table's stream.
  const search = () => request("GET", "/api/v1/finance/invoices?by_number=wren", { role: "operator" });
  const found = [{ ...invoice, id: 9_001, number: "WREN-0001", uuid: expect.any(String) }];
  await expect.poll(async () => (await search()).body.invoices, { timeout: 15_000 }).toEqual(found);
  const updated = await timesheets("operator", [9_002, 9_001], "paid");
  expect(updated.status).toBe(200);
  expect(updated.body.timesheets.map(({ id, state }: { id: number; state: string }) => [id, state])).toEqual([
    [9_002, "paid"],
    [9_001, "paid"],
  ]);
});

test("explain shows what followed from a request, and what failed by lines of the sources", async () => {
  const explain = async (requestId: string | null) => {
    const { stdout } = await runTool("infra/tools/explain.ts", ["--request", String(requestId)], directory.path);
    return stdout;
  };
  const well = await timesheets("operator", [9_002], "pending");
  const story = () => explain(well.headers.get("x-request-id"));
  await expect.poll(story, following).toMatch(/deliver-notifications +processed/);
  // The stream's consumers may have looked at what was written before it was answered.
  expect(await story()).toMatch(/^\S+ +bulk-update-timesheets +answered status=200/m);

  const ExpressionAttributeNames = { "#record": "record" };
  const Key = { ...recordKey("TIMESHEET", 9_002) };
  const damage = () => updateRaw({ Key, UpdateExpression: "REMOVE #record.driver", ExpressionAttributeNames });
  await withLocalService(directory.path, damage);
  const failed = await timesheets("operator", [9_002], "paid");
  expect(failed.status).toBe(500);
  const failure = () => explain(failed.headers.get("x-request-id"));
  await expect.poll(failure, following).toContain(" quarantined ");
  expect(await failure()).toMatch(/bulk-update-timesheets +error fault .*\n {4}at .*shared\/http\/answer\.ts:\d+:\d+/);
  expect(await failure()).toMatch(/quarantined .*\n {4}at .*shared\/domain\/records\/notification-events\.ts:\d+:\d+/);
}, 120_000);

test("Ctrl-C ends it with 0; a restart keeps the data; --fresh drops it", async () => {
  expect((await timesheets("operator", [9_001], "pending")).status).toBe(200);
  expect(await own.machine.interrupt()).toBe(0);
  await expect(fetch(`${own.machine.baseUrl}/api/v1/health`)).rejects.toThrow();

  own.machine = await startLocalMachine(directory.path);
  const kept = await timesheets("operator", [9_001], "paid");
  expect(kept).toMatchObject({ status: 200, body: { timesheets: [{ id: 9_001, state: "paid" }] } });
  expect(await own.machine.interrupt()).toBe(0);

  own.machine = await startLocalMachine(directory.path, ["--fresh"]);
  expect(await timesheets("operator", [9_001], "paid")).toMatchObject({ status: 404 });
  const { headers } = await request("GET", "/api/v1/finance/invoices", { role: "admin" });
  expect(Number(headers.get("total"))).toBeGreaterThanOrEqual(300);
}, 180_000);
