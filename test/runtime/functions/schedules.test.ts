import { afterEach, expect, test, vi } from "vitest";
import { followSchedules, startSchedules } from "../../../infra/runtime/functions/schedules.ts";

const london = { functionName: "mark-overdue", hour: 0, minute: 5, timeZone: "Europe/London" };
const utc = { functionName: "rotate", hour: 3, minute: 0, timeZone: "Etc/UTC" };

function follow(since: string) {
  const due = followSchedules([london, utc], new Date(since));
  return (now: string) => due(new Date(now)).map(({ functionName }) => functionName);
}

test("a schedule is due at its time in its time zone, in summer and in winter, once a day", () => {
  const summer = follow("2026-06-01T12:00:00Z");
  expect(summer("2026-06-01T23:04:59Z")).toEqual([]);
  expect(summer("2026-06-01T23:05:00Z")).toEqual(["mark-overdue"]);
  expect(summer("2026-06-01T23:05:30Z")).toEqual([]);
  expect(summer("2026-06-02T03:00:00Z")).toEqual(["rotate"]);
  const winter = follow("2026-12-01T12:00:00Z");
  expect(winter("2026-12-01T23:30:00Z")).toEqual([]);
  expect(winter("2026-12-02T00:05:00Z")).toEqual(["mark-overdue"]);
});

test("what was due before the machine started is not called; what it slept through is called once", () => {
  const calls = follow("2026-06-01T23:06:00Z");
  expect(calls("2026-06-01T23:07:00Z")).toEqual([]);
  expect(calls("2026-06-05T12:00:00Z")).toEqual(["mark-overdue", "rotate"]);
  expect(calls("2026-06-05T12:01:00Z")).toEqual([]);
});

test("a day whose clock jumps over the time has its call all the same", () => {
  const jumped = { functionName: "jumped", hour: 1, minute: 30, timeZone: "Europe/London" };
  const due = followSchedules([jumped], new Date("2026-03-28T12:00:00Z"));
  expect(due(new Date("2026-03-29T01:29:00Z"))).toEqual([]);
  expect(due(new Date("2026-03-29T01:30:00Z"))).toEqual([jumped]);
});

afterEach(() => {
  vi.useRealTimers();
});

test("a schedule's function is called within five seconds of its time, until the schedules are stopped after the last call", async () => {
  vi.useFakeTimers({ now: new Date("2026-06-02T02:59:58Z") });
  const called: unknown[][] = [];
  const end = Promise.withResolvers<void>();
  const schedules = startSchedules([utc], async (...call) => {
    called.push(call);
    await end.promise;
  });
  vi.advanceTimersByTime(5_000);
  expect(called).toEqual([["rotate", {}]]);
  let isStopped = false;
  const stopped = schedules.stop().then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(2 * 24 * 60 * 60_000);
  expect([called.length, isStopped]).toEqual([1, false]);
  end.resolve();
  await stopped;
});
