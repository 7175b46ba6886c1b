import { expect, test } from "vitest";
import { parseLogin, requireServed } from "../../shared/domain/accounts/login.ts";
import { refusalOf } from "../support/requests/refusals.ts";

test("D7: a login with @ is an e-mail address, trimmed and lower-cased", () => {
  expect(parseLogin("  Ines.Marsh@Example.COM ", "GB")).toEqual({ value: "ines.marsh@example.com", channel: "email" });
});

test.each([
  ["07911 123456", "+447911123456"],
  ["+44 7911 123456", "+447911123456"],
  ["0044 7911 123456", "+447911123456"],
  ["+353 85 012 3456", "+353850123456"],
])("D7: %s is a phone number, written in E.164 with the stage's country", (typed, value) => {
  expect(parseLogin(typed, "GB")).toMatchObject({ value, channel: "sms" });
});

test.each([
  "",
  "ines",
  "12",
  "@",
  "a@",
  "@b",
  "a b@c",
  "a@b@c",
  "+0",
  "call 07911 123456 now",
  "a@b\u0000",
])("D7: %j is neither an e-mail address nor a phone number", (typed) => {
  expect(parseLogin(typed, "GB")).toBeUndefined();
});

test("D11: a phone number of a country off the allow-list is refused as country_not_served", () => {
  const french = parseLogin("+33 6 12 34 56 78", "GB");
  expect(refusalOf(() => french && requireServed(french, ["GB", "IE"]))).toMatchObject({ code: "country_not_served" });
});

test("D11: e-mail and phone numbers of a served country pass the allow-list", () => {
  for (const typed of ["ines@example.com", "07400 123456"]) {
    const login = parseLogin(typed, "GB");
    expect(login && requireServed(login, ["GB"])).toBeUndefined();
    expect(login).toBeDefined();
  }
});
