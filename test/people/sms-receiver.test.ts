import { expect, test } from "vitest";
import { maySendSmsTo, parseLogin, requireSmsReceiver } from "../../shared/people/typed-login.ts";
import { refusalOf } from "../support/requests/refusals.ts";

test.each([
  ["+447400123456", "mobile"],
  ["+12125550123", "fixed line or mobile"],
])("D7: SMS go to %s: %s", (phone) => {
  for (const isStored of [true, false]) expect(maySendSmsTo(phone, { isStored })).toBe(true);
});

test.each([
  ["+449098790000", "premium numbers"],
  ["+447060123456", "personal numbers"],
  ["+448711234567", "premium numbers"],
  ["+491801234567", "shared-cost numbers"],
  ["+448001234567", "freephone numbers"],
  ["+447640123456", "pagers"],
  ["+445512345678", "company (UAN) numbers"],
  ["+445612345678", "internet telephony (VoIP) numbers"],
  ["+442079460958", "landlines"],
  ["+33123456789", "landlines"],
])("D7: no SMS goes to %s, whoever's it is: the refusal names %s", (phone, kind) => {
  for (const isStored of [true, false]) expect(maySendSmsTo(phone, { isStored })).toBe(false);
  const login = parseLogin(phone, "GB");
  for (const registers of [true, false]) {
    expect(refusalOf(() => login && requireSmsReceiver(login, { registers }))).toMatchObject({
      code: "country_not_served",
      message: `No SMS is sent to ${kind}`,
    });
  }
});

test("D7: a number of unknown kind gets SMS as a stored user's only", () => {
  expect(maySendSmsTo("+447999", { isStored: true })).toBe(true);
  expect(maySendSmsTo("+447999", { isStored: false })).toBe(false);
  const login = { value: "+447999", channel: "sms" } as const;
  expect(refusalOf(() => requireSmsReceiver(login, { registers: true }))).toMatchObject({
    code: "country_not_served",
    message: "No SMS is sent to phone numbers of unknown kind that register",
  });
});
