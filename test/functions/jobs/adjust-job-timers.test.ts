import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { callerLine, jobLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { adjust } from "../../support/requests/changes.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();

beforeEach(async () => {
  // An upsert keeps a job's timer, so each test gets jobs that are new.
  await store([1, 2, 3].map((id) => ({ type: "job", id, deleted: true })));
  await store([callerLine(admin), jobLine(1, 1), jobLine(2, 2), jobLine(3, 1)]);
});
afterEach(() => void vi.useRealTimers());

async function timerOf(id: number) {
  const item = await readItem({ pk: `JOB#${id}`, sk: "JOB" });
  return { timer: item?.timer, expires: item?.timer_expires_at };
}

describe("200", () => {
  test("D24: the timer counts seconds from now and is kept with its expiry", async () => {
    vi.useFakeTimers({ now: new Date("2026-05-01T09:00:00.000Z"), toFake: ["Date"] });
    expect((await adjust(admin, [1], 90)).status).toBe(200);
    expect(await timerOf(1)).toEqual({ timer: 90, expires: "2026-05-01T09:01:30.000Z" });
  });

  test("D24: 0 clears the timer, and a year is the longest", async () => {
    await adjust(admin, [1], 31_536_000);
    expect((await timerOf(1)).timer).toBe(31_536_000);
    await adjust(admin, [1], 0);
    expect(await timerOf(1)).toEqual({ timer: 0, expires: null });
  });

  test("D24: jobs of every company are answered in request order, each once, without the timer", async () => {
    const answer = await adjust(admin, [3, 2, 3, 1], 60);
    const shown = [jobLine(3, 1), jobLine(2, 2), jobLine(1, 1)].map(({ type, company_id, ...job }) => job);
    expect(answer.body).toEqual({ jobs: shown });
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "3" });
  });
});

describe("404", () => {
  test("D18, D24: one missing job refuses all, naming it", async () => {
    const answer = await adjust(admin, [1, 77], 60);
    expect(answer).toMatchObject({ status: 404, body: { code: "records_not_found", missing_ids: [77] } });
    expect((await timerOf(1)).timer).toBeUndefined();
  });
});
