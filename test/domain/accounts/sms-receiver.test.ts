import { expect, test } from "vitest";
import { parseLogin } from "../../../shared/domain/accounts/login.ts";
import { maySendSmsTo, requireSmsReceiver } from "../../../shared/domain/accounts/sms-receiver.ts";
import { refusalOf } from "../refusals.ts";

test.each([
  ["+447400123456", "mobile"],
  ["+12125550123", "fixed line or mobile"],
])("D7: SMS go to %s: %s", (phone) => {
  for (const isStored of [true, false]) expect(maySendSmsTo(phone, { isStored })).toBe(true);
});

test.each([
  ["+449098790000", "premium"],
  ["+447060123456", "personal"],
  ["+448711234567", "premium or shared cost"],
  ["+448001234567", "freephone"],
  ["+442079460958", "landline"],
])("D7: no SMS goes to %s: %s, whoever's it is", (phone) => {
  for (const isStored of [true, false]) expect(maySendSmsTo(phone, { isStored })).toBe(false);
  const login = parseLogin(phone, "GB");
  for (const registers of [true, false]) {
    expect(refusalOf(() => login && requireSmsReceiver(login, { registers }))).toMatchObject({
      code: "country_not_served",
    });
  }
});

test("D7: a number of unknown kind gets SMS as a stored user's only", () => {
  expect(maySendSmsTo("+447999", { isStored: true })).toBe(true);
  expect(maySendSmsTo("+447999", { isStored: false })).toBe(false);
});
