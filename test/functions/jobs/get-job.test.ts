import { expect, onTestFinished, test, vi } from "vitest";
import { handler } from "../../../functions/jobs/get-job.ts";
import { getJob } from "../../../shared/contract/jobs.ts";
import { callerLine, jobLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { adjust } from "../../support/requests/changes.ts";
import { testSingleRecord } from "../single-record.ts";

testSingleRecord({
  operation: getJob,
  handler,
  type: "job",
  line: jobLine,
  roles: ["operator"],
  derived: { timer_expires_at: null },
  ofLargestId: { number: 4_001 },
});

test("D24: a timer shows when the window closes, until it is cleared, also once it has closed", async () => {
  const as = { id: 1, role: "admin", company_id: null } as const;
  await store([callerLine(as), jobLine(20, 1)]);
  const shown = async () => (await call(handler, getJob, { as, parameters: { id: "20" } })).body.job.timer_expires_at;
  const now = Date.now();
  vi.useFakeTimers({ now, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  await adjust(as, [20], 1);
  for (const passed of [0, 1_001]) {
    vi.setSystemTime(now + passed);
    expect(await shown()).toBe(new Date(now + 1_000).toISOString());
  }
  await adjust(as, [20], 0);
  expect(await shown()).toBeNull();
});
