import { beforeEach, expect, test, vi } from "vitest";
import { handler } from "../../../functions/workers/deliver-notifications.ts";
import { maxUsersPerMessage, type NotificationMessage } from "../../../shared/messages/notification-queue.ts";
import type { findCompanyUsers } from "../../../shared/people/users.ts";
import { useStack } from "../../infra/stack.ts";
import { queueEvent } from "../../support/workers/workers.ts";

/** Lambda stops a chain of calls of one function through a queue after so many, unless the function allows it. */
const mostHops = 16;
const everyone = 40_000;
const queued = vi.hoisted((): unknown[] => []);

vi.mock("../../../shared/messages/queue.ts", async (original) => ({
  ...(await original<object>()),
  queueMessages: async (_: string, messages: readonly unknown[]) => {
    queued.push(...messages);
  },
}));

vi.mock("../../../shared/people/users.ts", () => ({
  findExistingUsers: async (userIds: readonly number[]) => userIds,
  findCompanyUsers: (async (_company, _role, most, after = "0") => {
    const first = Number(after) + 1;
    const last = Math.min(first + most - 1, everyone);
    const userIds = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    return { userIds, after: last < everyone ? String(last) : undefined };
  }) satisfies typeof findCompanyUsers,
}));

beforeEach(() => {
  vi.stubEnv("OPERATION", "deliver-notifications");
  vi.stubEnv("NOTIFICATION_QUEUE_URL", "https://sqs.eu-west-2.amazonaws.com/000000000000/notifications");
  return () => vi.unstubAllEnvs();
});

test(`D25: ${everyone} recipients are named once each, in order, by a chain of calls that ends and that Lambda lets go on`, async () => {
  const content = { eventId: "all", record_type: "Job", record_id: 7, params: { type: "published" } };
  const named: number[] = [];
  let calls = 0;
  for (
    let next: object[] = [{ ...content, recipients: { company: 1, role: "operator" } }];
    next.length > 0;
    calls += 1
  ) {
    expect(next).toHaveLength(1);
    await handler(queueEvent(...next));
    const messages = queued.splice(0) as NotificationMessage[];
    for (const { recipients } of messages) if ("users" in recipients) named.push(...recipients.users);
    next = messages.filter(({ recipients }) => "company" in recipients);
  }
  expect(named).toEqual(Array.from({ length: everyone }, (_, at) => at + 1));
  expect(calls).toBe(everyone / (5 * maxUsersPerMessage));
  expect(calls).toBeGreaterThan(mostHops);
});

test("the function of that chain alone may lead to calls of itself: Lambda stops every other after 16", async () => {
  const allowed = [...(await useStack()).functions()].filter(
    ([, { properties }]) => properties.RecursiveLoop === "Allow",
  );
  expect(allowed.map(([name]) => name)).toEqual(["deliver-notifications"]);
});
