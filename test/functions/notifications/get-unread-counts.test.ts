import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/notifications/get-unread-counts.ts";
import { getUnreadCounts } from "../../../shared/contract/notifications.ts";
import { notificationLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";

const operator = { id: 6, role: "operator", company_id: 1 } as const;

useService();

beforeAll(() =>
  store([
    notificationLine(1, 6),
    notificationLine(2, 6, { record_type: "Timesheet" }),
    notificationLine(3, 6, { record_type: "Timesheet" }),
    notificationLine(4, 6, { record_type: "Chat" }),
    notificationLine(5, 6, { record_type: "Invoice" }),
    notificationLine(6, 6, { record_type: "Job", read_at: "2026-05-02T09:00:00.000Z" }),
    notificationLine(7, 8),
  ]),
);

describe("200", () => {
  test("D26: unread ones are counted in all and by what they refer to, the caller's own only", async () => {
    const answer = await call(handler, getUnreadCounts, { as: operator });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ notifications: 5, timesheets: 2, jobs: 1, chats: 1 });
  });

  test("D26: a user without notifications has zeros", async () => {
    const answer = await call(handler, getUnreadCounts, { as: { id: 9, role: "admin", company_id: null } });
    expect(answer.body).toEqual({ notifications: 0, timesheets: 0, jobs: 0, chats: 0 });
  });
});
