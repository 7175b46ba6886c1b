import { createHmac, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import {
  isGenuine,
  isProofOfSession,
  makeFamily,
  makeRefreshToken,
  makeSeed,
  parseRefreshToken,
  type RefreshToken,
} from "../../shared/people/sessions.ts";
import { anyText, fc } from "../support/service/properties.ts";
import { hmacKeyOf } from "../support/tokens/hmac-key.ts";

const secret = "k".repeat(64);
const key = hmacKeyOf(secret);
const seed = makeSeed();

function newToken(n = 7): string {
  return makeRefreshToken({ userId: 7, family: makeFamily(new Date()), n }, seed, key);
}

function parsed(text: string): RefreshToken {
  const token = parseRefreshToken(text);
  if (!token) throw new Error("The text has not the form of a refresh token");
  return token;
}

const numbers = fc.integer({ min: 1, max: 999_999_999 });
const userIds = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

test("D5: a token leads back to its user, family and number, is genuine, and is the same whenever it is made", () => {
  fc.assert(
    fc.property(userIds, numbers, (userId, n) => {
      const place = { userId, family: makeFamily(new Date()), n };
      const text = makeRefreshToken(place, seed, key);
      expect(parsed(text)).toMatchObject(place);
      expect(isGenuine(parsed(text), seed, key)).toBe(true);
      expect(makeRefreshToken(place, seed, key)).toBe(text);
      expect(text.length).toBeLessThanOrEqual(84);
    }),
  );
});

test("D5: the MAC has 128 bits, over user, family, number and seed, under a key of this purpose", () => {
  const family = makeFamily(new Date());
  const derived = Buffer.from(hkdfSync("sha256", secret, "", "workforce|refresh", 32));
  const hmac = createHmac("sha256", derived).update(`refresh|7.${family}.3|${seed}`).digest();
  const token = makeRefreshToken({ userId: 7, family, n: 3 }, seed, key);
  expect(token).toBe(`7.${family}.3.1.${hmac.subarray(0, 16).toString("base64url")}`);
});

test("D5: no two families, seeds or numbers make the same token, and a seed has 16 random bytes", () => {
  const families = new Set(Array.from({ length: 1_000 }, () => makeFamily(new Date(0))));
  const seeds = Array.from({ length: 1_000 }, makeSeed);
  expect([families.size, new Set(seeds).size]).toEqual([1_000, 1_000]);
  for (const each of seeds) expect(Buffer.from(each, "base64url")).toHaveLength(16);
  const place = { userId: 7, family: "f".repeat(22), n: 1 };
  const tokens = [
    ...Array.from({ length: 100 }, (_, index) => makeRefreshToken({ ...place, n: index + 1 }, seed, key)),
    ...seeds.map((each) => makeRefreshToken(place, each, key)),
  ];
  expect(new Set(tokens).size).toBe(1_100);
});

test("D5: families sort by the second they were made in", () => {
  const moments = [
    "2026-05-01T09:00:00.000Z",
    "2026-05-01T09:00:01.000Z",
    "2038-01-19T03:14:08.000Z",
    "2100-01-01T00:00:00.000Z",
  ];
  const families = moments.map((moment) => makeFamily(new Date(moment)));
  expect([...families].sort()).toEqual(families);
  for (const family of [...families, makeFamily(new Date(0))]) expect(family).toMatch(/^[\w-]{22}$/);
});

test.each([
  ["nothing", () => ""],
  ["two parts", (token: string) => token.split(".").slice(0, 2).join(".")],
  ["six parts", (token: string) => `${token}.a`],
  ["user 0", (token: string) => token.replace(/^7/, "0")],
  ["a user with a leading zero", (token: string) => `0${token}`],
  ["a user beyond 2^53", (token: string) => token.replace(/^7/, "9007199254740992")],
  ["a user that is no number", (token: string) => token.replace(/^7/, "x")],
  ["number 0", (token: string) => token.replace(".7.", ".0.")],
  ["a number with a leading zero", (token: string) => token.replace(".7.", ".07.")],
  ["a number of ten digits", (token: string) => token.replace(".7.", ".1000000000.")],
  ["a number below 0", (token: string) => token.replace(".7.", ".-7.")],
  ["a fraction", (token: string) => token.replace(".7.", ".7.5.")],
  ["no number", (token: string) => token.replace(".7.", "..")],
  ["a short MAC", (token: string) => token.slice(0, -1)],
  ["a long MAC", (token: string) => `${token}A`],
  ["white space before", (token: string) => ` ${token}`],
  ["a line break after", (token: string) => `${token}\n`],
  ["padding", (token: string) => `${token.slice(0, -1)}=`],
])("D5: what does not have the form of a token is none: %s", (_, change) => {
  expect(parseRefreshToken(change(newToken()))).toBeUndefined();
});

test("D5: whatever text does not have the form of a token is none", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(parseRefreshToken(text)).toBeUndefined();
    }),
  );
});

test("D5: a token with another number, user, family or MAC is not genuine", () => {
  const text = newToken();
  const [user, family, n, version, mac] = text.split(".");
  const forged = [
    `8.${family}.${n}.${version}.${mac}`,
    `${user}.${makeFamily(new Date())}.${n}.${version}.${mac}`,
    ...["6", "8", "77", "999999999"].map((other) => `${user}.${family}.${other}.${version}.${mac}`),
    `${user}.${family}.${n}.2.${mac}`,
    `${user}.${family}.${n}.${version}.${"A".repeat(22)}`,
  ];
  for (const each of forged) expect(isGenuine(parsed(each), seed, key), each).toBe(false);
  expect(isGenuine(parsed(text), seed, key)).toBe(true);
});

test("D5: neither the key alone nor the seed alone makes a genuine token", () => {
  const place = { userId: 7, family: makeFamily(new Date()), n: 2 };
  for (const [otherSeed, otherKey] of [
    [makeSeed(), key],
    ["", key],
    [seed, hmacKeyOf("another key")],
  ] as const) {
    expect(isGenuine(parsed(makeRefreshToken(place, otherSeed, otherKey)), seed, key)).toBe(false);
  }
});

test("D10: the last token of a session proves it, and so does one above it; an earlier, a forged one or one of a revoked session does not", () => {
  const proves = (n: number, session: { n: number; revoked?: true }, madeOf = seed) => {
    const token = parsed(makeRefreshToken({ userId: 7, family: "f".repeat(22), n }, madeOf, key));
    return isProofOfSession(token, { seed, ...session }, key);
  };
  expect([proves(4, { n: 5 }), proves(5, { n: 5 }), proves(6, { n: 5 })]).toEqual([false, true, true]);
  expect([proves(5, { n: 5 }, makeSeed()), proves(6, { n: 5, revoked: true })]).toEqual([false, false]);
});
