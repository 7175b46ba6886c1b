import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { at, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, requestPin, tryPassword } from "../../support/requests/accounts.ts";
import { deliverPins } from "../../support/requests/pins.ts";
import { loggedLines } from "../../support/service/capture-logs.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";
const perDay = 10;
const minute = 60_000;
const kinds = ["phone_number", "email"] as const;
type Kind = (typeof kinds)[number];
const loginOf = (kind: Kind, index: number) =>
  kind === "email" ? `user-${index}@example.com` : `+4474001234${String(index).padStart(2, "0")}`;

useSigningKey();
beforeAll(() =>
  store(
    Array.from({ length: 14 }, (_, index) =>
      userLine(100 + index, { email: loginOf("email", index), phone_number: loginOf("phone_number", index), password }),
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

/** So many logins are asked for pins all day, by strangers; gives how many messages that caused. */
async function askAllDay(kind: Kind, logins: number): Promise<number> {
  const start = Date.now();
  for (let round = 0; round < 4; round += 1) {
    vi.setSystemTime(start + round * 16 * minute);
    for (let index = 0; index < logins; index += 1) await askPin(loginOf(kind, index));
    await deliverPins();
  }
  return service.inbox.entries().length;
}

const sentTo = (login: string) => service.inbox.entries().filter(({ to }) => to === login).length;

test.each(
  usualOrFull<readonly Kind[]>(["phone_number"], kinds),
)("D11: 7 users' logins (%s), asked for all day, leave the next user's first message", async (kind) => {
  expect(await askAllDay(kind, 7)).toBeLessThan(perDay);
  expect((await requestPin(loginOf(kind, 10))).status).toBe(200);
  expect(sentTo(loginOf(kind, 10))).toBe(1);
});

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

test.each(
  usualOrFull<readonly Kind[]>(["email"], kinds),
)("D11: where further messages have used up their share, a proof has an owner's pin sent (%s) in 15 minutes", async (kind) => {
  const login = loginOf(kind, 0);
  const proof = (await tryPassword(login, password)).body.token.refresh_token;
  await askAllDay(kind, 3);
  const [before, since] = [sentTo(login), Date.now()];
  for (; sentTo(login) === before; vi.setSystemTime(Date.now() + minute)) {
    expect(Date.now() - since).toBeLessThanOrEqual(15 * minute);
    // A stranger is there first, every time.
    await askPin(login);
    expect((await requestPin(login, { proof })).status).toBe(200);
  }
});
