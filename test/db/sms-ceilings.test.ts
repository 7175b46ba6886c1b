import { expect, test } from "vitest";
import { countSms, giveBackSms } from "../../shared/db/accounts/sms-ceilings.ts";
import { useService } from "../support/service/service.ts";

useService();
const ceilings = { perDay: 20 };

function sent(purpose: "user" | "registration", times: number, at: string) {
  const attempts = Array.from({ length: times }, () => () => countSms(ceilings, purpose, new Date(at)));
  return attempts.reduce(async (sum, attempt) => (await sum) + Number(await attempt()), Promise.resolve(0));
}

test("D11: registrations get a fifth of the SMS of a day, and users keep the rest", async () => {
  expect(await sent("registration", 30, "2026-05-01T08:00:00.000Z")).toBe(4);
  expect(await sent("user", 10, "2026-05-01T09:00:00.000Z")).toBe(10);
  expect(await sent("registration", 30, "2026-05-01T10:00:00.000Z")).toBe(0);
  expect(await sent("user", 30, "2026-05-01T10:00:00.000Z")).toBe(6);
});

test("D11: an SMS that is not sent is given back", async () => {
  const at = new Date("2026-05-02T08:00:00.000Z");
  expect(await sent("user", 21, at.toISOString())).toBe(20);
  await giveBackSms("user", at);
  expect(await sent("user", 2, at.toISOString())).toBe(1);
});
