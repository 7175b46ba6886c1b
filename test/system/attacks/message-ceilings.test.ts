import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { at, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { requestPin } from "../../support/requests/accounts.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const perDay = 10;
const loginOf = (kind: "phone_number" | "email", index: number) =>
  kind === "email" ? `user-${index}@example.com` : `+4474001234${String(index).padStart(2, "0")}`;

useSigningKey();
beforeAll(() =>
  store(
    Array.from({ length: 14 }, (_, index) =>
      userLine(100 + index, { email: loginOf("email", index), phone_number: loginOf("phone_number", index) }),
    ),
  ),
);

let day = 0;
const dayAt = (days: number, time: string) => at(`2026-05-${String(day + days).padStart(2, "0")}T${time}`);

beforeEach(() => {
  day += 2;
  dayAt(0, "00:00:00.000");
  service.inbox.clear();
  loggedLines.length = 0;
  for (const name of ["SMS_CEILINGS", "MAIL_CEILINGS"]) vi.stubEnv(name, JSON.stringify({ perDay }));
  return () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  };
});

const sentTo = (login: string) => service.inbox.entries().filter(({ to }) => to === login).length;

test.each([
  ["phone_number", "sms_ceiling_reached", "email"],
  ["email", "email_ceiling_reached", "phone_number"],
] as const)("D11: over the day's ceiling (%s) nothing is sent, answers are the same, and a line a request says it", async (kind, code, other) => {
  const shapes = new Set<string>();
  for (let index = 0; index < 13; index += 1) {
    const { status, headers, body } = await requestPin(loginOf(kind, index));
    shapes.add(JSON.stringify([status, Object.keys(headers), Object.keys(body.user)]));
  }
  expect(shapes.size).toBe(1);
  expect(service.inbox.entries()).toHaveLength(perDay);
  const reached = loggedLines.filter((line) => line.includes(`"code":"${code}"`));
  expect(reached.map((line) => JSON.parse(line).level)).toEqual(["error", "error", "error"]);
  expect(reached.join("")).not.toMatch(/\+44|user-/);
  await requestPin(loginOf(other, 0));
  expect(sentTo(loginOf(other, 0))).toBe(1);
  dayAt(0, "23:59:59.999");
  await requestPin(loginOf(kind, 13));
  expect(sentTo(loginOf(kind, 13))).toBe(0);
  dayAt(1, "00:00:00.000");
  await requestPin(loginOf(kind, 12));
  expect(sentTo(loginOf(kind, 12))).toBe(1);
});
