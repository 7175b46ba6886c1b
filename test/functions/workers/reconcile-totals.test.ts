import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { handler } from "../../../functions/workers/reconcile-totals.ts";
import { type HttpService, readBody, startHttpService } from "../../../infra/local/http-service.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import { segments } from "../../../shared/db/reconcile/read-parts.ts";
import { reconcileTotals } from "../../../shared/db/reconcile/reconcile-totals.ts";
import { putIf } from "../../../shared/db/table/conditional-writes.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { invoiceLine, jobLine, timesheetLine, userLine } from "../../support/records/records.ts";
import { countRecords, store } from "../../support/records/store.ts";
import { write } from "../../support/records/writes.ts";
import { besideHandlers } from "../../support/rights/recorded-calls.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

useService();
const proxy = useFaultProxy();
const pauseMs = 30_000;
const realSetTimeout = globalThis.setTimeout;
let timers: MockInstance | undefined;

beforeEach(() => {
  loggedLines.splice(0);
  proxy.reset();
});
afterEach(stopPausing);

/** Does the work in the pauses between two passes, which then end at once. */
function whilePausing(work: (pause: number) => Promise<unknown> = async () => {}): { pauses: number } {
  const seen = { pauses: 0 };
  const pausing = (resume: () => void, milliseconds?: number) => {
    if (milliseconds !== pauseMs) return realSetTimeout(resume, milliseconds);
    seen.pauses += 1;
    return void besideHandlers(() => work(seen.pauses)).then(resume);
  };
  timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(pausing as typeof setTimeout);
  return seen;
}

function stopPausing(): void {
  timers?.mockRestore();
  timers = undefined;
}

function found() {
  return loggedLines.map((line) => JSON.parse(line)).find(({ differences }) => differences !== undefined);
}

const drift = { pk: "TOTALS#INVOICES#1", sk: "ALL", pending: 7, revision: 99 };

test("exact totals are reported as a drift of 0, after one pass that reads what it needs once", async () => {
  await store([invoiceLine(1, 1), invoiceLine(2, 1, { number: "ZETA-7" }), timesheetLine(1, 2), userLine(1)]);
  proxy.reset();
  const seen = whilePausing();
  await handler();
  expect(countedMetrics()).toEqual([{ TotalsDrift: 0 }]);
  expect(found()).toMatchObject({ level: "info", records: 3, differences: 0 });
  const { BatchGetItem = 0, ...others } = Object.fromEntries(proxy.calls);
  expect([seen.pauses, others]).toEqual([0, { Scan: 1 }]);
  expect(BatchGetItem).toBeLessThanOrEqual(1);
});

describe("what differs", () => {
  test("is reported as the number of differences, with their keys in the log, and is not repaired", async () => {
    await store([invoiceLine(1, 1)]);
    await putIf({ Item: drift });
    await putIf({ Item: { ...recordKey("INVOICE", 700), id: 700, company_id: 70, record: { state: "pending" } } });
    whilePausing();
    for (const run of [1, 2]) {
      loggedLines.splice(0);
      await handler();
      expect(countedMetrics(), `run ${run}`).toEqual([{ TotalsDrift: 2 }]);
    }
    const { level, code, shown } = found();
    expect({ level, code }).toEqual({ level: "error", code: "totals_drift" });
    expect(shown).toContain("TOTALS#INVOICES#1 ALL pending: 7, should be 2");
    expect(shown).toContain("INVOICE#700: lacks what its list goes by");
  });

  test("is named in the log ten times at most, and counted all the same", async () => {
    for (let company = 100; company < 125; company += 1) {
      await putIf({ Item: { ...drift, pk: `TOTALS#INVOICES#${company}` } });
    }
    whilePausing();
    await handler();
    expect(countedMetrics()).toEqual([{ TotalsDrift: 27 }]);
    expect(found().shown.split("; ")).toHaveLength(10);
  });
});

describe("what has just changed and is counted before the next look", () => {
  test("is no difference", async () => {
    const before = await driftNow();
    await write(invoiceLine(800, 80));
    const seen = whilePausing(() => countRecords([["invoice", 800]]));
    expect(await driftNow()).toBe(before);
    expect(seen.pauses).toBeGreaterThan(0);
  });

  test("is waited for as long as it becomes less, and looked at three times at most", async () => {
    const before = await driftNow();
    const ids = [810, 811, 812, 813, 814];
    for (const id of ids) await write(invoiceLine(id, 81));
    const seen = whilePausing((pause) => countRecords([["invoice", ids[pause] ?? 0]]));
    expect(await driftNow()).toBe(before + 3);
    expect(seen.pauses).toBe(2);
  });

  async function driftNow(): Promise<number> {
    loggedLines.splice(0);
    if (!timers) whilePausing();
    await handler();
    stopPausing();
    return Number(countedMetrics()[0]?.TotalsDrift);
  }
});

test("a table that cannot be read is a fault that the schedule sees, and no figure", async () => {
  const denied = { __type: "com.amazon.coral.service#AccessDeniedException", message: "no" };
  proxy.fail("Scan", { status: 400, body: denied }, 1);
  await expect(handler()).rejects.toThrow();
  expect(countedMetrics()).toEqual([]);
});

describe("in Lambda", () => {
  const functionName = functionNameOf("local", "reconcile-totals");
  const seen: { path: string | undefined; segment: number }[] = [];
  let failing: object | undefined;
  let lambda: HttpService;

  beforeAll(async () => {
    lambda = await startHttpService(async (request, response) => {
      const event = JSON.parse(String(await readBody(request, 100_000)));
      seen.push({ path: request.url, segment: event.segment });
      if (failing) response.setHeader("x-amz-function-error", "Unhandled").end(JSON.stringify(failing));
      else response.end(JSON.stringify(await handler(event)));
    });
    vi.stubEnv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand");
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", functionName);
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", `http://127.0.0.1:${lambda.port}`);
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    await lambda.close();
  });

  test("each part is read by a call of itself, and what they find is merged exactly", async () => {
    await store([invoiceLine(900, 90), invoiceLine(901, 91), timesheetLine(900, 90), jobLine(900, 91)]);
    await putIf({ Item: { ...drift, pk: "TOTALS#INVOICES#90" } });
    const here = await reconcileTotals();
    whilePausing();
    await handler();
    expect(found()).toMatchObject({ records: here.records });
    expect(countedMetrics().at(-1)).toEqual({
      TotalsDrift: here.drifts.length + here.uncounted.length + here.unreadable.length,
    });
    expect(seen).toHaveLength(3 * segments);
    expect(new Set(seen.map(({ segment }) => segment)).size).toBe(segments);
    expect(new Set(seen.map(({ path }) => path))).toEqual(
      new Set([`/2015-03-31/functions/${functionName}/invocations`]),
    );
  });

  test("a part that fails is a fault that the schedule sees, and no figure", async () => {
    failing = { errorMessage: "out of memory" };
    await expect(handler()).rejects.toThrow("out of memory");
    expect(countedMetrics()).toEqual([]);
  });
});
