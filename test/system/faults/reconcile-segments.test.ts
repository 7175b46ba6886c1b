import { expect, test, vi } from "vitest";
import { readTable, segments } from "../../../shared/db/reconcile/read-parts.ts";
import { compare } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { companyLine, invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { useService } from "../../support/service/service.ts";

useService();
const proxy = useFaultProxy();

const reconcile = async () => compare(await readTable({ isConsistent: true }));
const stored = 100;
const ids = Array.from({ length: stored }, (_, at) => at + 1);
const lines = [companyLine(1), ...ids.flatMap((id) => [invoiceLine(id, 1), timesheetLine(id, 1), jobLine(id, 1)])];

test("segments are read at once, and together have each record once", async () => {
  await store(lines);
  const { uncounted, drifts, records } = await reconcile();
  expect({ uncounted, drifts, records }).toEqual({ uncounted: [], drifts: [], records: 3 * stored });
  proxy.reset();
  const release = proxy.hold("Scan");
  const done = reconcile();
  await vi.waitUntil(() => (proxy.calls.get("Scan") ?? 0) >= segments);
  release();
  expect((await done).records).toBe(3 * stored);
});

test("what the table refuses is read again after a pause, as users come first", async () => {
  const body = {
    __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
    message: "Slow down",
  };
  // More than the attempts of all segments' first calls.
  proxy.fail("Scan", { status: 400, body }, 4 * segments);
  const { records, drifts } = await reconcile();
  expect({ records, drifts }).toEqual({ records: 3 * stored, drifts: [] });
});
