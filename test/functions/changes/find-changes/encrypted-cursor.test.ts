import { describe, expect, test } from "vitest";
import { decryptCursor, encryptCursor } from "../../../../functions/changes/encrypted-cursor.ts";
import { fc } from "../../../support/service/properties.ts";
import { hmacKeyOf } from "../../../support/tokens/hmac-key.ts";

const [one, two] = ["1", "2"].map((text) => text.repeat(64)) as [string, string];
const key = hmacKeyOf(one);
const place = "2026-05-01T08:30:00.000Z#TIMESHEET#9007199254740991";

test("D30: an encrypted cursor leads back to its place in its own context, and shows nothing of it", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: "grapheme-ascii" }), fc.string(), fc.string(), (at, own, other) => {
      const cursor = encryptCursor(at, own, key);
      expect(cursor).toMatch(/^[\w-]{1,200}$/);
      expect(decryptCursor(cursor, own, key)).toBe(at);
      if (own !== other) expect(decryptCursor(cursor, other, key)).toBeUndefined();
    }),
  );
  const cursor = encryptCursor(place, "list", key);
  expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain("TIMESHEET");
  expect(encryptCursor(place, "list", key)).not.toBe(cursor);
});

describe("D30: no cursor is", () => {
  test("whatever text somebody makes up", () => {
    const bytes = fc.uint8Array({ maxLength: 80 }).map((each) => Buffer.from(each).toString("base64url"));
    fc.assert(
      fc.property(fc.oneof(fc.string(), bytes), (text) => {
        expect(decryptCursor(text, "list", key)).toBeUndefined();
      }),
    );
  });

  test("one that was changed in any byte, or is spelled in a second way", () => {
    const cursor = encryptCursor(place, "list", key);
    const bytes = Buffer.from(cursor, "base64url");
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(decryptCursor(changed.toString("base64url"), "list", key), String(at)).toBeUndefined();
    }
    for (const spelling of [`${cursor}=`, `${cursor} `, `${cursor}A`, cursor.slice(0, -1), ""]) {
      expect(decryptCursor(spelling, "list", key), spelling).toBeUndefined();
    }
  });
});

test("D9: cursors outlast a new version of the key, and fail once theirs is struck out", () => {
  const [old, own] = [encryptCursor(place, "list", key), encryptCursor(place, "list", hmacKeyOf(one, two))];
  for (const cursor of [old, own]) expect(decryptCursor(cursor, "list", hmacKeyOf(one, two))).toBe(place);
  expect(decryptCursor(own, "list", key)).toBeUndefined();
});

test("the longest place fits into 200 characters, and a longer one is a fault", () => {
  expect(encryptCursor("x".repeat(118), "list", key).length).toBeLessThanOrEqual(200);
  expect(() => encryptCursor("x".repeat(119), "list", key)).toThrow("does not fit");
});
