import { createHmac, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { isGenuine, makeFamily, makeRefreshToken, makeSeed, parseRefreshToken } from "../../shared/people/sessions.ts";
import { hashPasscode, passcodeFits } from "../../shared/people/users.ts";
import { openHmacKey } from "../../shared/tokens/secrets.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const [one, two, three] = ["1", "2", "3"].map((text) => text.repeat(64)) as [string, string, string];

test("D9: what is signed says its version, and each purpose has a key of its own", () => {
  const key = hmacKeyOf(one, two);
  const signed = key.sign("pin", "message");
  expect(signed).toMatch(/^2\.[\w-]{43}$/);
  expect([key.isCurrent(signed), key.isCurrent(hmacKeyOf(one).sign("pin", "message"))]).toEqual([true, false]);
  expect(key.verify("pin", "message", signed)).toBe(true);
  expect(key.verify("throttle", "message", signed)).toBe(false);
  const underTheWhole = createHmac("sha256", two).update("pin|message").digest("base64url");
  expect(key.verify("pin", "message", `2.${underTheWhole}`)).toBe(false);
});

test.each([
  ["1", hmacKeyOf(one), one],
  ["2", hmacKeyOf(one, two), two],
])("D9: in version %s the key of a purpose is derived by HKDF, so that one that leaks gives none of the others", (version, key, text) => {
  const derived = hkdfSync("sha256", text, "", "workforce|refresh", 32);
  const hmac = createHmac("sha256", Buffer.from(derived)).update("refresh|message").digest("base64url");
  expect(key.sign("refresh", "message")).toBe(`${version}.${hmac}`);
});

test("D9: a text of one version is not one of another, and none of a version that is struck out", () => {
  const signed = hmacKeyOf(one, two).sign("pin", "message");
  expect(hmacKeyOf(one).verify("pin", "message", signed)).toBe(false);
  expect(hmacKeyOf(one, three).verify("pin", "message", signed)).toBe(false);
  expect(hmacKeyOf(one, two).verify("pin", "message", signed.slice(2))).toBe(false);
  for (const text of ["", "2.", "2.AAAA", "0.AAAA", `99999999999.${signed.slice(2)}`, signed.slice(0, -1)]) {
    expect(hmacKeyOf(one, two).verify("pin", "message", text), text).toBe(false);
  }
});

test("D9: a new version verifies before it signs, and a key without a version that signs is none", () => {
  const signs_from = "2026-05-01T09:10:00.000Z";
  const versions = [
    { version: 1, key: one },
    { version: 2, key: two, signs_from },
  ];
  const before = openHmacKey(versions, new Date("2026-05-01T09:09:59.999Z"));
  const after = openHmacKey(versions, new Date(signs_from));
  expect(before.sign("pin", "message")).toMatch(/^1\./);
  expect(before.verify("pin", "message", after.sign("pin", "message"))).toBe(true);
  expect(() => openHmacKey([{ version: 2, key: two, signs_from }], new Date(0))).toThrow("no version");
});

test("D5, D19: refresh tokens and passcodes outlast a new version of the key, and fail once theirs is struck out", () => {
  const [place, seed] = [{ userId: 7, family: makeFamily(new Date()), n: 1 }, makeSeed()];
  const rotated = hmacKeyOf(one, two);
  const [token, newToken] = [hmacKeyOf(one), rotated].map((key) => makeRefreshToken(place, seed, key));
  const [hash, newHash] = [hmacKeyOf(one), rotated].map((key) => hashPasscode("4711", 7, key)) as [string, string];
  const verifies = (text = "", key = rotated) => {
    const parsed = parseRefreshToken(text);
    return parsed && isGenuine(parsed, seed, key);
  };
  for (const each of [token, newToken]) expect(verifies(each)).toBe(true);
  for (const each of [hash, newHash]) expect(passcodeFits("4711", 7, each, rotated)).toBe(true);
  expect(verifies(newToken, hmacKeyOf(one))).toBe(false);
  expect(passcodeFits("4711", 7, newHash, hmacKeyOf(one))).toBe(false);
});
