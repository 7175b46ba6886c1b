import { beforeAll, describe, expect, test } from "vitest";
import { handler as openJob } from "../../../functions/jobs/get-job.ts";
import { handler as countUnread } from "../../../functions/notifications/get-unread-counts.ts";
import { handler } from "../../../functions/notifications/list-notifications.ts";
import { handler as mark } from "../../../functions/notifications/mark-notifications.ts";
import { getJob } from "../../../shared/contract/jobs.ts";
import { getUnreadCounts, listNotifications, markNotifications } from "../../../shared/contract/notifications.ts";
import { notificationKey } from "../../../shared/notifications/notifications.ts";
import { costOf } from "../../support/records/costs.ts";
import { callerLine, jobLine, notificationLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { readItem, write } from "../../support/records/writes.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { idsIn, nextQuery } from "../../support/requests/pages.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const driver = { id: 5, role: "driver", company_id: null } as const;
const operator = { id: 6, role: "operator", company_id: 1 } as const;

useService();

beforeAll(() =>
  store([
    ...Array.from({ length: 45 }, (_, index) => notificationLine(index + 1, 5)),
    notificationLine(99, 6, { read_at: "2026-05-02T09:00:00.000Z", params: { type: "paid", amount: "12.00" } }),
  ]),
);

function list(query: Record<string, string> = {}, as: TestUser = driver) {
  return call(handler, listNotifications, { as, query });
}

describe("200", () => {
  test("the caller's newest 20 come first, with per-page 20 and the total of all", async () => {
    const answer = await list();
    expect(idsIn(answer)).toEqual(Array.from({ length: 20 }, (_, index) => 45 - index));
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "45" });
  });

  test("D3: each caller sees only their own, with the interface's fields", async () => {
    const { type, user_id, ...shown } = notificationLine(99, 6, {
      read_at: "2026-05-02T09:00:00.000Z",
      params: { type: "paid", amount: "12.00" },
    });
    const params = { ...shown.params, text: "Job: paid" };
    expect((await list({}, operator)).body).toEqual({ notifications: [{ ...shown, params }] });
    expect([type, user_id]).toEqual(["notification", 6]);
  });

  test("D25: a notification outlives its record: it stays unread and counted, and leads to a 404", async () => {
    const reader = { id: 9, role: "operator", company_id: 1 } as const;
    await store([callerLine(reader), jobLine(71, 1), notificationLine(70, 9, { record_type: "Job", record_id: 71 })]);
    await write({ type: "job", id: 71, deleted: true });
    const [notification] = (await list({}, reader)).body.notifications;
    expect(notification).toMatchObject({ id: 70, record_type: "Job", record_id: 71, read_at: null });
    expect((await call(countUnread, getUnreadCounts, { as: reader })).body).toMatchObject({
      notifications: 1,
      jobs: 1,
    });
    const opened = await call(openJob, getJob, { as: reader, parameters: { id: "71" } });
    expectProblem(opened, 404, "record_not_found");
    const marked = { notification: { notification_ids: [70], read: true } };
    expect((await call(mark, markNotifications, { as: reader, body: marked })).status).toBe(200);
  });

  test("D45: each has a text in the caller's language, which is not stored", async () => {
    const reader = { id: 8, role: "driver", company_id: null } as const;
    const params = { type: "paid", date: "2026-05-04" };
    await store([
      callerLine(reader, { locale: "de" }),
      notificationLine(61, 8, { record_type: "Timesheet", params }),
      notificationLine(60, 8, { record_type: "Chat", params: { type: "message", text: "Call Ada" } }),
    ]);
    const textsOf = (answer: TestAnswer) =>
      answer.body.notifications.map(({ params: { text } }: { params: { text: string } }) => text);
    expect(textsOf(await list({}, reader))).toEqual(["Ein Stundenzettel wurde bezahlt: 04.05.2026", "Call Ada"]);
    await write({ type: "user", id: 8, locale: "en" });
    expect(textsOf(await list({}, reader))[0]).toBe("A timesheet was paid: 4 May 2026");
    const stored = await readItem(notificationKey(8, 61));
    expect(stored?.record).toMatchObject({ params });
    expect(JSON.stringify(stored)).not.toContain('"text"');
  });

  test("one that was removed is in neither the list nor its total", async () => {
    const reader = { ...driver, id: 71 };
    await store([notificationLine(1, 71), notificationLine(2, 71)]);
    await write({ type: "notification", id: 2, user_id: 71, deleted: true });
    const answer = await list({}, reader);
    expect([idsIn(answer), answer.headers.total]).toEqual([[1], "1"]);
  });

  test("costs at most 2 read units, in one round trip", async () => {
    await list();
    const cost = await costOf(list);
    expect(cost).toMatchObject({ writeUnits: 0, sequentialTrips: 1 });
    expect(cost.readUnits).toBeLessThanOrEqual(2);
  });

  test("D30: pages by number and by cursor give every notification once", async () => {
    const byPage: number[] = [];
    for (const page of ["1", "2", "3", "4"]) byPage.push(...idsIn(await list({ page, per_page: "12" })));
    expect(byPage).toEqual(Array.from({ length: 45 }, (_, index) => 45 - index));
    expect(idsIn(await list(nextQuery(await list({ per_page: "12" }))))[0]).toBe(33);
  });
});
