import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handler } from "../../../functions/jobs/adjust-job-timers.ts";
import { adjustJobTimers } from "../../../shared/contract/jobs.ts";
import { leaseSeconds } from "../../../shared/db/idempotent-runs.ts";
import { crashEverywhere } from "../../support/faults/crash.ts";
import { conditionFailed, transactionConflict, useFaultProxy } from "../../support/faults/fault-proxy.ts";
import { jobLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { tokensOf } from "../../support/requests/idempotency.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const start = Date.parse("2026-05-10T12:00:00.000Z");
const fault = { status: 400, body: { __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException" } };

useService();
const proxy = useFaultProxy();
let key = "";
let jobId = 0;

beforeEach(async () => {
  vi.useFakeTimers({ now: start, toFake: ["Date"] });
  key = crypto.randomUUID();
  jobId += 1;
  await store([jobLine(jobId, 1)]);
  proxy.reset();
});

afterEach(() => {
  proxy.reset();
  vi.useRealTimers();
});

function adjust(timer = 600) {
  const body = { job: { job_ids: [jobId], timer } };
  return call(handler, adjustJobTimers, { as: admin, body, headers: { "idempotency-key": key } });
}

function job() {
  return readItem({ pk: `JOB#${jobId}`, sk: "JOB" });
}

/** A process that ends can give nothing back: its next calls of these actions fail. */
function crashWithout(...actions: string[]): void {
  for (const action of actions) proxy.fail(action, fault, 1);
}

function pass(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

test("D32: a run that ends before its transaction holds the key for its lease, then a repetition carries it out", async () => {
  crashWithout("BatchGetItem", "DeleteItem");
  expect((await adjust()).status).toBe(500);
  expectProblem(await adjust(), 409, "request_in_progress");
  pass(leaseSeconds - 0.001);
  expectProblem(await adjust(), 409, "request_in_progress");
  pass(0.001);
  expectProblem(await adjust(1), 422, "idempotency_key_reused");
  const answer = await adjust();
  expect(answer.status).toBe(200);
  expect(answer.headers["idempotency-replayed"]).toBeUndefined();
  expect(await job()).toMatchObject({ timer: 600, timer_expires_at: "2026-05-10T12:10:00.000Z" });
  expect((await adjust()).headers["idempotency-replayed"]).toBe("true");
});

test("D32: a run that ends after its transaction is recognised by what it wrote, and nothing is done twice", async () => {
  crashWithout("UpdateItem");
  const first = await tokensOf(adjust);
  const change = (await job())?.change as { readonly id: string };
  expect(loggedLines.some((line) => line.includes("idempotent_answer_not_kept") && !line.includes(key))).toBe(true);
  const before = await job();
  expect(before).toMatchObject({ timer: 600 });
  expectProblem(await adjust(), 409, "request_in_progress");
  pass(leaseSeconds);
  const second = await tokensOf(async () =>
    expect(await adjust()).toMatchObject({ status: 200, headers: { total: "1", "change-id": change.id } }),
  );
  expect(first).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(second).toEqual([]);
  expect(await job()).toEqual(before);
  expect((await adjust()).headers["idempotency-replayed"]).toBe("true");
});

test("D32: of 20 repetitions after the lease exactly one goes on with the run", async () => {
  crashWithout("BatchGetItem", "DeleteItem");
  await adjust();
  pass(leaseSeconds);
  const answers = await Promise.all(Array.from({ length: 20 }, () => adjust()));
  const fresh = answers.filter(({ status, headers }) => status === 200 && !headers["idempotency-replayed"]);
  expect(fresh).toHaveLength(1);
  for (const { status } of answers) expect([200, 409]).toContain(status);
});

test("D32: a key whose runs keep changing is 409 after 5 lost races", async () => {
  proxy.fail("PutItem", conditionFailed, Number.POSITIVE_INFINITY);
  expectProblem(await adjust(), 409, "request_in_progress");
  expect(proxy.calls.get("PutItem")).toBe(5);
  proxy.reset();
  expect((await adjust()).status).toBe(200);
});

test("D32: a fault gives the key back", async () => {
  proxy.fail("BatchGetItem", fault, 1);
  expect((await adjust()).status).toBe(500);
  expect((await adjust(1)).status).toBe(200);
  expect(await job()).toMatchObject({ timer: 1 });
});

test("D18, D32: a table that stays busy gives the key back; each try within one request has a token of its own", async () => {
  proxy.fail("TransactWriteItems", transactionConflict(1), Number.POSITIVE_INFINITY);
  const tokens = await tokensOf(async () => expect(await adjust()).toMatchObject({ status: 503 }));
  expect(tokens.length).toBeGreaterThan(3);
  expect(new Set(tokens).size).toBe(tokens.length);
  proxy.reset();
  expect(await adjust()).toMatchObject({ status: 200 });
});

test("D32: a token that an earlier run spent on other values is put aside", async () => {
  const __type = "com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException";
  proxy.fail("TransactWriteItems", { status: 400, body: { __type } }, 1);
  const tokens = await tokensOf(async () => expect(await adjust()).toMatchObject({ status: 200 }));
  expect(tokens).toEqual([expect.any(String), expect.any(String)]);
  expect(tokens[1]).not.toBe(tokens[0]);
  expect(await job()).toMatchObject({ timer: 600 });
});

test("D32: while a first request is under way, another body is refused as reused, and the same one is 409", async () => {
  const goOn = proxy.hold("TransactWriteItems");
  const first = adjust();
  await vi.waitUntil(() => proxy.calls.get("TransactWriteItems") === 1);
  expectProblem(await adjust(), 409, "request_in_progress");
  expectProblem(await adjust(1), 422, "idempotency_key_reused");
  goOn();
  expect((await first).status).toBe(200);
  expect((await adjust()).headers["idempotency-replayed"]).toBe("true");
});

test("D32: killed at any of its calls, a request that is repeated after the lease was carried out once", async () => {
  const crashes = await crashEverywhere(async (kill, place) => {
    key = crypto.randomUUID();
    jobId += 1;
    await store([jobLine(jobId, 1)]);
    const revision = Number((await job())?.revision);
    await kill(() => adjust());
    pass(leaseSeconds);
    expect((await adjust()).status, place).toBe(200);
    expect((await adjust()).headers["idempotency-replayed"], place).toBe("true");
    expect(await job(), place).toMatchObject({ timer: 600, revision: revision + 1 });
  });
  expect(crashes).toBeGreaterThanOrEqual(8);
});
