import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/notifications/list-notifications.ts";
import { listNotifications } from "../../../shared/contract/notifications.ts";
import { notificationLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
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

function idsOf(answer: TestAnswer): number[] {
  return answer.body.notifications.map(({ id }: { id: number }) => id);
}

describe("200", () => {
  test("the caller's newest 20 come first, with per-page 20 and the total of all", async () => {
    const answer = await list();
    expect(idsOf(answer)).toEqual(Array.from({ length: 20 }, (_, index) => 45 - index));
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "45" });
  });

  test("D3: each caller sees only their own, with the interface's fields", async () => {
    const { type, user_id, ...shown } = notificationLine(99, 6, {
      read_at: "2026-05-02T09:00:00.000Z",
      params: { type: "paid", amount: "12.00" },
    });
    expect((await list({}, operator)).body).toEqual({ notifications: [shown] });
    expect([type, user_id]).toEqual(["notification", 6]);
  });

  test("D27: listing marks nothing as read", async () => {
    await list();
    for (const notification of (await list()).body.notifications) expect(notification.read_at).toBeNull();
  });

  test("D30: pages by number and by cursor give every notification once", async () => {
    const byPage: number[] = [];
    for (const page of ["1", "2", "3", "4"]) byPage.push(...idsOf(await list({ page, per_page: "12" })));
    expect(byPage).toEqual(Array.from({ length: 45 }, (_, index) => 45 - index));
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec((await list({ per_page: "12" })).headers.link ?? "") ?? [];
    expect(idsOf(await list(Object.fromEntries(new URL(next).searchParams)))[0]).toBe(33);
  });

  test("a user without notifications gets an empty list and total 0", async () => {
    const answer = await list({}, { id: 7, role: "client", company_id: 1 });
    expect(answer).toMatchObject({
      status: 200,
      body: { notifications: [] },
      headers: { total: "0", "per-page": "20" },
    });
  });
});

describe("422", () => {
  test("D30: another list's cursor is cursor_invalid", async () => {
    expect(await list({ cursor: "bm9wZQ" })).toMatchObject({ status: 422, body: { code: "cursor_invalid" } });
  });
});
