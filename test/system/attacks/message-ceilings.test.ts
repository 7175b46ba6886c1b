import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { at, useSigningKey } from "../../support/records/own-user.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { askPin, tryPassword } from "../../support/requests/accounts.ts";
import { deliverPins } from "../../support/requests/pins.ts";
import { useService } from "../../support/service/service.ts";

const service = useService();
const password = "seven quiet harbours";
const perDay = 10;
const minute = 60_000;
const kinds = ["email", "phone_number"] as const;
type Kind = (typeof kinds)[number];
const loginOf = (kind: Kind, index: number) =>
  kind === "email" ? `user-${index}@example.com` : `+4474001234${String(index).padStart(2, "0")}`;

useSigningKey();
beforeAll(() =>
  store(
    Array.from({ length: 20 }, (_, index) =>
      userLine(100 + index, { email: loginOf("email", index), phone_number: loginOf("phone_number", index), password }),
    ),
  ),
);

let day = 0;
beforeEach(() => {
  day += 1;
  at(`2026-05-${String(day).padStart(2, "0")}T00:00:00.000`);
  service.inbox.clear();
  for (const name of ["SMS_CEILINGS", "MAIL_CEILINGS"]) vi.stubEnv(name, JSON.stringify({ perDay }));
  return () => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  };
});

/** So many logins are asked for pins all day, by strangers; gives how many messages that caused. */
async function askAllDay(kind: Kind, logins: number, rounds = 6): Promise<number> {
  const start = Date.now();
  for (let round = 0; round < rounds; round += 1) {
    vi.setSystemTime(start + round * 16 * minute);
    for (let index = 0; index < logins; index += 1) await askPin(loginOf(kind, index));
    await deliverPins();
  }
  return service.inbox.entries().length;
}

const sentTo = (login: string) => service.inbox.entries().filter(({ to }) => to === login).length;

test.each(kinds)("D11: 7 users' logins (%s), asked for all day, leave the next user's first message", async (kind) => {
  expect(await askAllDay(kind, 7)).toBeLessThan(perDay);
  expect((await askPin(loginOf(kind, 10))).status).toBe(200);
  await deliverPins();
  expect(sentTo(loginOf(kind, 10))).toBe(1);
});

test.each(
  kinds,
)("D11: however many logins (%s) are asked for, no more than the day's ceiling is sent", async (kind) => {
  expect(await askAllDay(kind, 20, 2)).toBe(perDay);
});

test.each(
  kinds,
)("D11: where further messages have used up their share, a proof has an owner's pin sent (%s) in 15 minutes", async (kind) => {
  const login = loginOf(kind, 0);
  const proof = (await tryPassword(login, password)).body.token.refresh_token;
  await askAllDay(kind, 3);
  const [before, since] = [sentTo(login), Date.now()];
  for (; sentTo(login) === before; vi.setSystemTime(Date.now() + minute)) {
    expect(Date.now() - since).toBeLessThanOrEqual(15 * minute);
    // A stranger is there first, every time.
    await askPin(login);
    expect((await askPin(login, { proof })).status).toBe(200);
    await deliverPins();
  }
});
