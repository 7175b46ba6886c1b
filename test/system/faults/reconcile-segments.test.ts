import { expect, test, vi } from "vitest";
import { timeoutSecondsOf } from "../../../infra/constructs/compute/service-function.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { segments } from "../../../shared/db/reconcile/read-parts.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { documentClient, type Item, scanPage } from "../../../shared/db/table/table.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { companyLine, invoiceLine, jobLine, timesheetLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { useService } from "../../support/service/service.ts";

useService();
const proxy = useFaultProxy();

/** What the daily check may do one after the other: three passes, with half a minute between them. */
const passes = 3;
const pausesSeconds = 60;
const wanted = 1_000_000;
const stored = 100;
/** DynamoDB reads a page of 1 MB before it filters; that takes it some 50 to 200 ms. */
const pageBytes = 1_000_000;
const pageSeconds = 0.2;
/** All items of a record, with its entries and index attributes: more than the largest of the demo data. */
const bytesOfRecord = 8_000;

const ids = Array.from({ length: stored }, (_, at) => at + 1);
const lines = [companyLine(1), ...ids.flatMap((id) => [invoiceLine(id, 1), timesheetLine(id, 1), jobLine(id, 1)])];

test("segments are read at once, and together have each record once", async () => {
  await store(lines);
  const { uncounted, drifts, records } = await reconcileTotals();
  expect({ uncounted, drifts, records }).toEqual({ uncounted: [], drifts: [], records: 3 * stored });
  proxy.reset();
  const release = proxy.hold("Scan");
  const done = reconcileTotals();
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
  const { records, drifts } = await reconcileTotals();
  expect({ records, drifts }).toEqual({ records: 3 * stored, drifts: [] });
});

test(`${wanted} records are counted three times within the time of the daily check`, async () => {
  const { items } = await scanPage({});
  const partitions = Map.groupBy(items, ({ pk }) => String(pk));
  const kinds = [...partitions.values()].filter(([first]) => /^(INVOICE|TIMESHEET|JOB)#/.test(String(first?.pk)));
  const answer = { Items: kinds.flat() };
  let calls = 0;
  const rounds = 20;
  const send = vi.spyOn(documentClient(), "send").mockImplementation(async () => {
    calls += 1;
    // Each page as the SDK would make it of DynamoDB's answer.
    const Items = structuredClone(answer.Items) as Item[];
    return calls > rounds * segments ? { Items } : { Items, LastEvaluatedKey: { pk: String(calls) } };
  });
  const began = process.cpuUsage();
  const { records } = await reconcileTotals({ isConsistent: false });
  const { user, system } = process.cpuUsage(began);
  send.mockRestore();
  expect(records).toBeGreaterThan(10_000);
  const processorSeconds = ((user + system) / 1e6 / records) * wanted;
  const readSeconds = ((wanted * bytesOfRecord) / pageBytes / segments) * pageSeconds;
  const whole = passes * (processorSeconds + readSeconds) + pausesSeconds;
  console.info(
    `a pass of ${wanted} records: ${processorSeconds.toFixed(0)} s of a processor, ${readSeconds.toFixed(0)} s of reading`,
  );
  expect(whole).toBeLessThan(timeoutSecondsOf(functions["reconcile-totals"]));
});
