import { expect, test } from "vitest";
import { parseLogin, requireServed } from "../../shared/people/typed-login.ts";
import { refusalOf } from "../support/requests/refusals.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { anyText, fc } from "../support/service/properties.ts";

test.each([
  ["Jürgen@example.com", undefined],
  ["ann@MÜLLER.example", "ann@xn--mller-kva.example"],
  ["ann@mu\u0308ller.example", "ann@xn--mller-kva.example"],
  ["user@例え.jp", "user@xn--r8jz45g.jp"],
  ["user@ｅxample.com", "user@example.com"],
  ["user@例え。jp", "user@xn--r8jz45g.jp"],
  ["ANN@XN--MLLER-KVA.example", "ann@xn--mller-kva.example"],
  ["ann.work+x@example.com", "ann.work+x@example.com"],
  ["annwork@example.com", "annwork@example.com"],
  ["o'hara_%-1@my-host.example.co.uk", "o'hara_%-1@my-host.example.co.uk"],
  ["é@example.com", undefined],
  ["e\u0301@example.com", undefined],
  // NFC writes these in ASCII: a Greek question mark is a semicolon, a Greek varia is a grave accent.
  ["a\u037eb@example.com", undefined],
  ["a\u1fefb@example.com", "a`b@example.com"],
  [".a@example.com", undefined],
  ["a.@example.com", undefined],
  ["a..b@example.com", undefined],
  ["a@b..c", undefined],
  ["a@-b-", undefined],
  ["a@-b.example", undefined],
  ["a@127.0.0.1", undefined],
  ["a@0x7f.1", undefined],
  ["a@b.example.", undefined],
  ["a@localhost", undefined],
  ["a@b.example/c", undefined],
  ["a@b.example?c", undefined],
  ["a@b.example#c", undefined],
  ["a@b%2Eexample", undefined],
  [`a@${"x".repeat(64)}.example`, undefined],
])("D7: the normal form of the e-mail address %s is %s; dots and plus tags count", (typed, value) => {
  expect(parseLogin(typed, "GB")?.value).toBe(value);
});

test.each([
  ["\u200boperator@example.com\u2060", "operator@example.com"],
  ["oper\u00adator@exam\u200dple.com", "operator@example.com"],
  ["\u202aoperator@example.com\u202c", "operator@example.com"],
  ["ｏｐｅｒａｔｏｒ＠ｅｘａｍｐｌｅ．ｃｏｍ", "operator@example.com"],
  ["ｏ\u200dperator@example.com", "operator@example.com"],
  ["user٤٢@example.com", "user42@example.com"],
  ["jean–luc@example.com", "jean-luc@example.com"],
  ["jean\u2011luc@example.com", "jean-luc@example.com"],
  ["jean\u2212luc@example.com", "jean-luc@example.com"],
  ["jean-luc@example.com", "jean-luc@example.com"],
  ["jeanluc@example.com", "jeanluc@example.com"],
  ["(jean)luc@example.com", undefined],
  ["jean luc@example.com", undefined],
  ["jean\u00a0luc@example.com", undefined],
  ["jean\u2800luc@example.com", undefined],
  ["user@mü\u200dller.example", "user@xn--mller-kva.example"],
  ["user@نامهای.example", "user@xn--mgba3gch31f.example"],
  ["user@نامه\u200cای.example", undefined],
  ["user@نام۱.example", undefined],
  ["user@१उदाहरण.example", undefined],
  ["user@mail٢.نامه.example", "user@mail2.xn--mgb4dbg.example"],
  ["user@例え２。jp", "user@xn--2-87t231j.jp"],
  ["user@xn--mgb4db00e.example", "user@xn--mgb4db00e.example"],
  ["\u202buser@نامه\u200cای.example\u202c", undefined],
])("D7: copied as %j an e-mail address is read as %s, and nothing in it is dropped that is seen", (typed, value) => {
  expect(parseLogin(typed, "GB")?.value).toBe(value);
});

test("D7: a login in its normal form is its own normal form, and so is any other text with one", () => {
  const part = fc.oneof(anyText({ maxLength: 4 }), fc.constantFrom("@", ".", "ann", "example", "+44", "7400123456"));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const login = parseLogin(parts.join(""), "GB");
      if (login) expect(parseLogin(login.value, "IE")?.value).toBe(login.value);
    }),
    { numRuns: usualOrFull(2_000, 50_000) },
  );
});

test.each([
  ["+44 7099 000000", "GB"],
  ["07099 000000", "GB"],
  ["+1 555 0100000", "US"],
  ["+353 99 0000000", "IE"],
])("D7: %s is a login, as it is possible, whether or not it is in use", (typed, country) => {
  expect(parseLogin(typed, "GB")).toMatchObject({ channel: "sms", country });
});

test("D7: a login with @ is an e-mail address, trimmed and lower-cased", () => {
  expect(parseLogin("  Ines.Marsh@Example.COM ", "GB")).toEqual({ value: "ines.marsh@example.com", channel: "email" });
});

test.each([
  ["07911 123456", "+447911123456"],
  ["+44 7911 123456", "+447911123456"],
  ["0044 7911 123456", "+447911123456"],
  ["+353 85 012 3456", "+353850123456"],
  ["(+44)7911123456", "+447911123456"],
  ["[+44] (0) 7911-123-456", "+447911123456"],
  ["(07911) 123456", "+447911123456"],
  ["\u202a+44 7911 123456\u202c", "+447911123456"],
  ["＋４４ ７９１１ １２３４５６", "+447911123456"],
  ["٠٧٩١١ ١٢٣٤٥٦", "+447911123456"],
  ["०७९११–१२३\u2212४५६", "+447911123456"],
  ["07911\u00a0123\u200b456\ufeff", "+447911123456"],
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
  "+44 7911",
  "07911 1234567890",
  "+0",
  "call 07911 123456 now",
  "07911,123456",
  "<07911 123456>",
  "()",
  "a@b\u0000",
])("D7: %j is neither an e-mail address nor a phone number", (typed) => {
  expect(parseLogin(typed, "GB")).toBeUndefined();
});

test("D11: a phone number of a country off the allow-list is refused as country_not_served", () => {
  const french = parseLogin("+33 6 12 34 56 78", "GB");
  expect(refusalOf(() => french && requireServed(french, ["GB", "IE"]))).toMatchObject({
    code: "country_not_served",
    message: "No SMS is sent to phone numbers of this country",
  });
});

test("D11: e-mail and phone numbers of a served country pass the allow-list", () => {
  for (const typed of ["ines@example.com", "07400 123456"]) {
    const login = parseLogin(typed, "GB");
    expect(login && requireServed(login, ["GB"])).toBeUndefined();
    expect(login).toBeDefined();
  }
});
