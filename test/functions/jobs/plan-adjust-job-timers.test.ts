import { beforeEach, describe, expect, test } from "vitest";
import { handler } from "../../../functions/jobs/plan-adjust-job-timers.ts";
import { planAdjustJobTimers } from "../../../shared/contract/jobs.ts";
import { callerLine, jobLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem } from "../../support/records/writes.ts";
import { call } from "../../support/requests/call.ts";
import { adjust } from "../../support/requests/changes.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();

beforeEach(async () => {
  await store([1, 2].map((id) => ({ type: "job", id, deleted: true })));
  await store([callerLine(admin), jobLine(1, 1), jobLine(2, 2)]);
});

const plan = (job_ids: number[], timer: number) =>
  call(handler, planAdjustJobTimers, { as: admin, body: { job: { job_ids, timer } } });

const itemOf = (id: number) => readItem({ pk: `JOB#${id}`, sk: "JOB" });

describe("200", () => {
  test("D40: answers the jobs of adjust_timer and how many would change, and writes nothing", async () => {
    const before = await itemOf(1);
    const planned = await plan([2, 1, 2], 60);
    expect(planned).toMatchObject({ status: 200, body: { plan: { would_change: 2, would_notify: 0 } } });
    expect(await itemOf(1)).toEqual(before);
    expect(planned.body.jobs).toEqual((await adjust(admin, [2, 1], 60)).body.jobs);
  });

  test("D40: a job without a limit would not change by getting none", async () => {
    expect((await plan([1, 2], 0)).body.plan.would_change).toBe(0);
  });
});

describe("404", () => {
  test("D40: a missing job is named, as adjust_timer does", async () => {
    const answer = await plan([1, 77], 60);
    expect(answer).toMatchObject({ status: 404, body: { code: "records_not_found", missing_ids: [77] } });
  });
});
