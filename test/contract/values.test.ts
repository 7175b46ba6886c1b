import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, test } from "vitest";
import { fieldCodes, fieldFaults } from "../../shared/contract/field-faults.ts";
import { dateFilter, idParameter, paging } from "../../shared/contract/query.ts";
import { calendarDate, decimal, id, text, timestamp } from "../../shared/contract/values.ts";
import { fc } from "../support/service/properties.ts";

test("D23: a timestamp is UTC with three digits of milliseconds and a real moment", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }), (date) => {
      expect(v.is(timestamp, date.toISOString())).toBe(true);
    }),
  );
  for (const other of [
    "2026-05-01",
    "2026-05-01T08:30:00Z",
    "2026-05-01T08:30:00.000+01:00",
    "2026-13-01T08:30:00.000Z",
    "2026-02-30T08:30:00.000Z",
    "2026-05-01T24:00:00.000Z",
    "+010000-01-01T00:00:00.000Z",
  ]) {
    expect(v.is(timestamp, other)).toBe(false);
  }
});

test("D23: a decimal is a string of digits, and no float", () => {
  for (const fine of ["0", "0.00", "-12.50", "999999999999999.99"]) expect(v.is(decimal, fine)).toBe(true);
  for (const other of [12.5, "1e3", "1,000.00", ".5", "5.", "NaN", "1".repeat(16)])
    expect(v.is(decimal, other)).toBe(false);
});

test("text has no NUL, no half of a surrogate pair and no noncharacter; any other character is taken", () => {
  const refused = ["\0", "\ud800", "\udfff", "\ufffe", "\uffff", "\ufdd0", "\ufdef", "\u{1fffe}", "\u{10ffff}"];
  for (const other of refused) expect(v.is(text(9), `a${other}`)).toBe(false);
  for (const fine of ["\ufffd", "\ufdcf", "\ufdf0", "😀", "e\u0301", "\u0001", "\u{10fffd}"]) {
    expect(v.is(text(9), fine)).toBe(true);
  }
});

test("a calendar date is a day that exists", () => {
  expect(v.is(calendarDate, "2024-02-29")).toBe(true);
  for (const other of ["2026-02-29", "2026-00-10", "2026-1-1", "2026-01-01T00:00:00.000Z"]) {
    expect(v.is(calendarDate, other)).toBe(false);
  }
});

test("D21: a date filter takes a date, or the date part of a timestamp", () => {
  expect(v.parse(dateFilter, "2026-05-01")).toBe("2026-05-01");
  expect(v.parse(dateFilter, "2026-05-01T23:59:59.999Z")).toBe("2026-05-01");
  expect(v.parse(dateFilter, "2026-05-01 10:00")).toBe("2026-05-01");
  for (const offset of ["+02:00", " 02:00", " 0200", "-02:00"]) {
    for (const time of ["T10:00:00.000", " 10:00"])
      expect(v.parse(dateFilter, `2026-05-01${time}${offset}`)).toBe("2026-05-01");
  }
});

test("an id is a whole number from 1 to 2^53 − 1", () => {
  for (const fine of [1, Number.MAX_SAFE_INTEGER]) expect(v.is(id, fine)).toBe(true);
  for (const other of [0, -1, 1.5, 2 ** 53, "1", null, Number.NaN]) expect(v.is(id, other)).toBe(false);
});

test("an id in a path or a query is as wide as one that is stored, and has one spelling", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.constant(9_000_000_000_000_001)),
      (value) => {
        expect(v.parse(idParameter, String(value))).toBe(value);
      },
    ),
  );
  expect(v.parse(idParameter, "9007199254740991")).toBe(Number.MAX_SAFE_INTEGER);
  for (const other of ["9007199254740992", "9007199254740993", "9999999999999999", "10000000000000000"]) {
    expect(v.is(idParameter, other)).toBe(false);
  }
  for (const other of ["", "0", "-1", "+1", "01", "1.0", "1e3", "0x1", " 1", "1 ", "١"]) {
    expect(v.is(idParameter, other)).toBe(false);
  }
});

test("D30: the page size is 1 to 100, the page any whole number above 0, and whatever is none is refused by its name", () => {
  const value = fc.oneof(fc.string(), fc.integer().map(String), fc.integer({ min: 1 }).map(String), fc.constant(""));
  fc.assert(
    fc.property(value, value, (page, perPage) => {
      const { output, issues = [] } = v.safeParse(v.object(paging), { page, per_page: perPage });
      const isNumber = (text: string) => text === "" || (/^[0-9]+$/.test(text) && Number(text) > 0);
      const wrong = Object.entries({ page, per_page: perPage }).flatMap(([name, text]) =>
        isNumber(text) ? [] : [name],
      );
      expect(fieldFaults(issues).map(({ path }) => path.join())).toEqual(wrong);
      if (wrong.length > 0) return;
      expect(output).toMatchObject({ per_page: Math.min(Number(perPage || 20), 100) });
      expect((output as { page?: number }).page).toBe(page === "" ? undefined : Number(page));
    }),
  );
});

test("a fault names the place, and never repeats the value", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8 }), (secret) => {
      const schema = v.object({
        inner: v.object({ name: v.pipe(text(4)), kind: v.picklist(["a", "b"]), count: v.number() }),
      });
      const { issues = [] } = v.safeParse(schema, { inner: { name: secret, kind: `x${secret}`, count: secret } });
      const faults = fieldFaults(issues);
      expect(faults.map(({ path }) => path.join("."))).toContain("inner.kind");
      expect(faults.map(({ detail }) => detail).join(" ")).not.toContain(secret);
    }),
  );
});

test("the README lists the codes of a field", () => {
  const readme = readFileSync(new URL("../../shared/contract/README.md", import.meta.url), "utf8");
  const [, list = ""] = /a field's own code is one of ([^.]+)\./.exec(readme) ?? [];
  expect([...list.matchAll(/`(\w+)`/g)].map(([, code]) => code)).toEqual(fieldCodes);
});
