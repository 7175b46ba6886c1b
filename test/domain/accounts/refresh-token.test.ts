import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  makeFamily,
  makeRefreshToken,
  parseRefreshToken,
  refreshTokenLifeDays,
} from "../../../shared/domain/accounts/refresh-token.ts";
import { hashToken } from "../../../shared/domain/token-hash.ts";
import { fc } from "../../support/service/properties.ts";
import { hmacKeyOf } from "../../support/tokens/hmac-key.ts";

const key = hmacKeyOf("k".repeat(64));

test("D5: a refresh token counts for 30 days", () => {
  expect(refreshTokenLifeDays).toBe(30);
});

test("D5: a token leads back to its user and family, and to the SHA-256 that alone is stored", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (userId) => {
      const family = makeFamily(new Date());
      const token = makeRefreshToken(userId, family, key);
      const hash = createHash("sha256").update(token).digest("base64url");
      expect(parseRefreshToken(token, key)).toEqual({ text: token, userId, family, hash });
      expect(hashToken(token)).toBe(hash);
      expect(token.length).toBeLessThanOrEqual(200);
    }),
  );
});

test("D5: no two tokens or families are alike, and a token carries 32 random bytes", () => {
  const families = new Set(Array.from({ length: 1_000 }, () => makeFamily(new Date(0))));
  const secrets = Array.from({ length: 1_000 }, () => makeRefreshToken(7, "f".repeat(22), key).split(".")[2] ?? "");
  expect([families.size, new Set(secrets).size]).toEqual([1_000, 1_000]);
  for (const secret of secrets) expect(Buffer.from(secret, "base64url")).toHaveLength(32);
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
  ["four parts", (token: string) => `${token}.a`],
  ["user 0", (token: string) => token.replace(/^7/, "0")],
  ["a user with a leading zero", (token: string) => `0${token}`],
  ["a user beyond 2^53", (token: string) => token.replace(/^7/, "9007199254740992")],
  ["a user that is no number", (token: string) => token.replace(/^7/, "x")],
  ["a short secret", (token: string) => token.slice(0, -1)],
  ["a long secret", (token: string) => `${token}A`],
  ["white space before", (token: string) => ` ${token}`],
  ["a line break after", (token: string) => `${token}\n`],
  ["padding", (token: string) => `${token.slice(0, -1)}=`],
])("D5: what does not have the form of a token is none: %s", (_, change) => {
  expect(parseRefreshToken(change(makeRefreshToken(7, makeFamily(new Date()), key)), key)).toBeUndefined();
});

test("D5: whatever text does not have the form of a token is none", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(parseRefreshToken(text, key)).toBeUndefined();
    }),
  );
});

test("D5: a token that somebody made up, or signed with another key, is none", () => {
  const token = makeRefreshToken(7, makeFamily(new Date()), key);
  expect(parseRefreshToken(token, hmacKeyOf("another key"))).toBeUndefined();
  const [user, family, secret, mac] = token.split(".");
  expect(parseRefreshToken(`8.${family}.${secret}.${mac}`, key)).toBeUndefined();
  expect(parseRefreshToken(`${user}.${makeFamily(new Date())}.${secret}.${mac}`, key)).toBeUndefined();
  expect(parseRefreshToken(`${user}.${family}.${"A".repeat(43)}.${mac}`, key)).toBeUndefined();
  expect(parseRefreshToken(`${user}.${family}.${secret}.${"A".repeat(22)}`, key)).toBeUndefined();
});
