import type { DynamoDBRecord } from "aws-lambda";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { handler as listInvoices } from "../../functions/finance/list-invoices.ts";
import { handler as listTimesheets } from "../../functions/finance/list-timesheets.ts";
import { handler as listJobs } from "../../functions/jobs/list-jobs.ts";
import { handler as updateTotals } from "../../functions/workers/update-totals.ts";
import { listInvoices as listInvoicesContract } from "../../shared/contract/finance.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import { writeHeartbeats } from "../../shared/db/lists/heartbeats.ts";
import { findWatermark, resizeWatermark } from "../../shared/db/lists/watermark.ts";
import { recordKey } from "../../shared/db/table/keys.ts";
import { deleteItemAt } from "../../shared/db/table/table.ts";
import { useFaultProxy } from "../support/faults/fault-proxy.ts";
import { invoiceLine } from "../support/records/records.ts";
import { readItem, write } from "../support/records/writes.ts";
import { call } from "../support/requests/call.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { nothingFailed, streamRecord } from "../support/workers/workers.ts";

useService();
const proxy = useFaultProxy();

const watermarkKey = { pk: "WATERMARK", sk: "TOTALS" };
const admin = { id: 1, role: "admin", company_id: null } as const;
const start = Date.parse("2026-03-02T08:00:00.000Z");
const numbers = [0, 1, 2, 3];

beforeEach(async () => {
  proxy.reset();
  // No list of a test is answered by what one of another test read.
  vi.useFakeTimers({ toFake: ["Date"], now: Math.max(Date.now(), start) + 3_600_000 });
  await deleteItemAt(watermarkKey);
});

/** A shard of the stream as its consumer is given it: what was written to it, until it is delivered. */
function openShard(heartbeats: readonly number[]) {
  const waiting: DynamoDBRecord[] = [];
  return {
    waiting,
    async beat(): Promise<void> {
      for (const number of heartbeats) waiting.push(await heartbeatOf(number));
    },
    async deliver(): Promise<void> {
      const Records = waiting.splice(0);
      if (Records.length > 0) expect(await updateTotals({ Records })).toEqual(nothingFailed);
    },
  };
}

async function heartbeatOf(number: number): Promise<DynamoDBRecord> {
  const key = { pk: `HEARTBEAT#${number}`, sk: "HEARTBEAT" };
  return streamRecord(key, { after: await readItem(key) });
}

/** A heartbeat that was begun at a moment, as the stream hands it on. */
function begunAt(number: number, begun_at: unknown): DynamoDBRecord {
  const key = { pk: `HEARTBEAT#${number}`, sk: "HEARTBEAT" };
  return streamRecord(key, { after: { ...key, begun_at, schema_version: 1 } });
}

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1_000);
}

const list = () => call(listInvoices, listInvoicesContract, { as: admin, query: {} });

/** A list that reads no item by its key: the watermark is the only one. */
const dated = () => call(listInvoices, listInvoicesContract, { as: admin, query: { from_date: "2026-01-01" } });

/** What a list says once its reading has ended, which no list waits for. */
async function headerOf(): Promise<number> {
  await list();
  await vi.waitFor(async () => expect((await list()).headers).toHaveProperty("total-as-of"));
  return Date.parse(String((await list()).headers["total-as-of"]));
}

describe("D43: the header total-as-of", () => {
  test("with two shards and one held for a minute, is no later than the held one's oldest uncounted change", async () => {
    const [held, running] = [openShard([0, 2]), openShard([1, 3])];
    await resizeWatermark(numbers.length);
    const beat = async () => {
      await writeHeartbeats(numbers.length, new Date());
      await Promise.all([held, running].map((each) => each.beat()));
    };
    await beat();
    await Promise.all([held, running].map((each) => each.deliver()));
    pass(5);
    const oldestUncounted = Date.now();
    await write(invoiceLine(1, 1));
    const key = recordKey("INVOICE", 1);
    held.waiting.push(streamRecord(key, { after: await readItem(key) }));
    for (let second = 0; second < 60; second += 20) {
      pass(20);
      await beat();
      await running.deliver();
      expect(await headerOf()).toBeLessThanOrEqual(oldestUncounted);
    }
    expect((await list()).headers.total).toBe("0");
    await held.deliver();
    pass(15);
    expect(await headerOf()).toBeGreaterThan(oldestUncounted);
    expect((await list()).headers.total).toBe("1");
  });

  test("on a quiet table is at most 60 seconds old, at whatever second of the minute", async () => {
    const shard = openShard(numbers);
    await resizeWatermark(numbers.length);
    let oldest = 0;
    let isSeen = false;
    // Heartbeats at the pace of write-heartbeats: 25 and 35 seconds apart.
    for (let second = 0; second < 300; second += 1) {
      if (second % 60 === 0 || second % 60 === 25) {
        await writeHeartbeats(numbers.length, new Date());
        await shard.beat();
        await shard.deliver();
      }
      const header = (await list()).headers["total-as-of"];
      if (header !== undefined) {
        isSeen = true;
        oldest = Math.max(oldest, Date.now() - Date.parse(String(header)));
      }
      pass(1);
    }
    expect(isSeen).toBe(true);
    expect(oldest).toBeLessThanOrEqual(60_000);
    expect(oldest).toBeGreaterThan(30_000);
  });

  test("costs at most one read in 15 seconds: 100 lists read what they read before, and the watermark once", async () => {
    await raiseAll();
    await list();
    pass(15);
    proxy.reset();
    for (let at = 0; at < 100; at += 1) {
      await list();
      pass(0.149);
    }
    // Of each list the total, and a page of each state.
    expect(Object.fromEntries(proxy.calls)).toEqual({ GetItem: 100 + 1, Query: 300 });
  });

  test.each([
    ["list-invoices", listInvoices],
    ["list-timesheets", listTimesheets],
    ["list-jobs", listJobs],
  ])("is on %s, which shares the reading of the other lists", async (name, handler) => {
    await raiseAll();
    const reached = await headerOf();
    const contract = operations.find((each) => each.name === name) as Operation;
    const { status, headers } = await call(handler, contract, { as: admin, query: {} });
    expect([status, Date.parse(String(headers["total-as-of"]))]).toEqual([200, reached]);
  });

  test("is promised by those lists alone", () => {
    const promised = operations.filter((each: Operation) => each.hasTotalAsOf).map(({ name }) => name);
    expect(promised.toSorted()).toEqual(["list-invoices", "list-jobs", "list-timesheets"]);
  });

  test("is not read for the first list of an environment, and is for the second", async () => {
    await raiseAll();
    proxy.reset();
    vi.resetModules();
    const { followTotalAsOf } = await import("../../shared/db/lists/total-as-of.ts");
    const first = followTotalAsOf(new Date());
    const second = followTotalAsOf(new Date());
    await vi.waitFor(() => expect(second()).toBeInstanceOf(Date));
    expect([first(), Object.fromEntries(proxy.calls)]).toEqual([undefined, { GetItem: 1 }]);
  });

  test("is left out until every heartbeat has come through", async () => {
    await resizeWatermark(numbers.length);
    await updateTotals({ Records: [0, 1, 2].map((number) => begunAt(number, Date.now())) });
    await list();
    await list();
    expect((await list()).headers).not.toHaveProperty("total-as-of");
    const last = Date.now();
    await updateTotals({ Records: [begunAt(3, last)] });
    pass(15);
    expect(await headerOf()).toBe(last);
  });

  test("is left out where its reading fails, which the log says, and where the list is there first", async () => {
    await raiseAll();
    const denied = { __type: "com.amazonaws.dynamodb.v20120810#AccessDeniedException", message: "denied" };
    proxy.fail("GetItem", { status: 400, body: denied }, 1);
    loggedLines.length = 0;
    const { status, headers } = await dated();
    expect([status, headers["total-as-of"]]).toEqual([200, undefined]);
    await vi.waitFor(() => expect(loggedLines.join("")).toContain('"message":"totals of unknown age"'));
    pass(15);
    const release = proxy.hold("GetItem");
    const first = await dated();
    expect([first.status, first.headers["total-as-of"]]).toEqual([200, undefined]);
    release();
    await vi.waitFor(async () => expect((await dated()).headers).toHaveProperty("total-as-of"));
  });

  test("is the only thing that differs when the watermark moves: nothing that an ETag is made of", async () => {
    await raiseAll();
    const before = await headerOf();
    const first = await list();
    pass(20);
    await raiseAll();
    expect(await headerOf()).toBeGreaterThan(before);
    const second = await list();
    const kept = ({ headers }: typeof first) =>
      Object.entries(headers).filter(([name]) => name !== "total-as-of" && name !== "x-request-id");
    expect(kept(second)).toEqual(kept(first));
    expect(second.body).toEqual(first.body);
  });
});

describe("D43: the watermark", () => {
  const later = (number: number, ms: number) => begunAt(number, Date.now() + ms);

  test("does not go back for heartbeats that come again or late, alone or beside newer ones", async () => {
    await raiseAll();
    const reached = Date.now();
    pass(60);
    await updateTotals({ Records: numbers.map((number) => later(number, -90_000)) });
    await updateTotals({ Records: numbers.map((number) => begunAt(number, reached)) });
    expect(await findWatermark()).toEqual(new Date(reached));
    await updateTotals({ Records: [later(0, -90_000), later(1, 0), later(2, -10), later(3, -5), later(2, -20)] });
    expect(await readItem(watermarkKey)).toMatchObject({
      h0: reached,
      h1: Date.now(),
      h2: Date.now() - 10,
      h3: Date.now() - 5,
    });
    expect(await findWatermark()).toEqual(new Date(reached));
  });

  test("is raised after the changes before a heartbeat are counted, and not where their counting fails", async () => {
    await raiseAll();
    const reached = Date.now();
    pass(20);
    await write(invoiceLine(70, 1));
    const key = recordKey("INVOICE", 70);
    const change = streamRecord(key, { after: await readItem(key) });
    const throttled = { __type: "com.amazonaws.dynamodb.v20120810#ThrottlingException", message: "Slow down" };
    const Records = [change, ...numbers.map((number) => later(number, 0))];
    proxy.fail("TransactWriteItems", { status: 400, body: throttled }, 100);
    expect((await updateTotals({ Records })).batchItemFailures).toHaveLength(1);
    expect(await findWatermark()).toEqual(new Date(reached));
    proxy.reset();
    expect(await updateTotals({ Records })).toEqual(nothingFailed);
    expect(await findWatermark()).toEqual(new Date());
  });

  test("takes no heartbeat for later than now: a clock that is ahead does not lead it into the future", async () => {
    await resizeWatermark(numbers.length);
    await updateTotals({ Records: numbers.map((number) => later(number, 3_600_000)) });
    expect(await findWatermark()).toEqual(new Date());
  });

  test("goes neither back nor ahead with more heartbeats, and heartbeats that are written no more do not stop it", async () => {
    await raiseAll();
    const reached = Date.now();
    await resizeWatermark(6);
    expect(await findWatermark()).toEqual(new Date(reached));
    pass(20);
    await updateTotals({ Records: numbers.map((number) => later(number, 0)) });
    expect(await findWatermark()).toEqual(new Date(reached));
    await resizeWatermark(numbers.length);
    expect(await findWatermark()).toEqual(new Date());
    // One that was written before is on its way.
    await updateTotals({ Records: [later(5, -1)] });
    expect(await findWatermark()).toEqual(new Date());
    expect(await readItem(watermarkKey)).not.toHaveProperty("h5");
  });

  test("is raised by one write a batch", async () => {
    await raiseAll();
    pass(20);
    proxy.reset();
    await updateTotals({ Records: numbers.map((number) => later(number, 0)) });
    expect(Object.fromEntries(proxy.calls)).toEqual({ UpdateItem: 1 });
  });

  test("does not wait for a heartbeat that is malformed, which is quarantined", async () => {
    await raiseAll();
    pass(20);
    const Records = [begunAt(0, "yesterday"), ...numbers.map((number) => later(number, 0))];
    expect(await updateTotals({ Records })).toEqual(nothingFailed);
    expect(await findWatermark()).toEqual(new Date());
    expect(await takeMessages("QUARANTINE_QUEUE_URL")).toMatchObject([{ pk: "HEARTBEAT#0" }]);
  });
});

async function raiseAll(): Promise<void> {
  await resizeWatermark(numbers.length);
  await updateTotals({ Records: numbers.map((number) => begunAt(number, Date.now())) });
}
