import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, test } from "vitest";
import { dateFilter, idParameter, paging } from "../../shared/contract/query.ts";
import { isCurrency } from "../../shared/contract/records.ts";
import { fieldCodes, fieldFaults } from "../../shared/contract/refusals.ts";
import {
  calendarDate,
  decimal,
  id,
  normalPassword,
  oneLine,
  oneLineOrEmpty,
  password,
  text,
  timestamp,
} from "../../shared/contract/values.ts";
import { anyText, fc } from "../support/service/properties.ts";

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

test("D23: dates and timestamps of records lie from 1970-01-01 to 2199-12-31; a filter takes any day", () => {
  for (const fine of ["1970-01-01", "2000-02-29", "2199-12-31"]) {
    expect(v.is(calendarDate, fine)).toBe(true);
    expect(v.is(timestamp, `${fine}T23:59:59.999Z`)).toBe(true);
  }
  for (const other of ["0000-01-01", "0026-11-03", "1969-12-31", "2200-01-01", "9999-12-31"]) {
    expect(v.is(dateFilter, other)).toBe(true);
    expect(v.safeParse(calendarDate, other).issues?.[0]?.message).toContain("from 1970-01-01 to 2199-12-31");
    for (const time of ["00:00:00.000", "23:59:59.999"]) {
      const { issues = [] } = v.safeParse(timestamp, `${other}T${time}Z`);
      expect(issues[0]?.message).toContain("from 1970-01-01 to 2199-12-31");
    }
  }
});

test("D23: a decimal is a string of digits, no float, without leading zeros and no -0", () => {
  for (const fine of ["0", "0.00", "0.5", "-0.01", "-12.50", "100.50", "10", "999999999999999.99"])
    expect(v.parse(decimal, fine)).toBe(fine);
  const zeros = ["00", "01", "00001.00", "-01.5", "00.5", "-0", "-0.0", "-0.00", "-0.000000", "-00.00"];
  for (const other of [12.5, "1e3", "1,000.00", ".5", "5.", "NaN", "1".repeat(16), "+1", "１", "-", "", ...zeros])
    expect(v.safeParse(decimal, other).issues).toHaveLength(1);
});

test("D23: currencies are those of ISO 4217, also the withdrawn ones of older records", () => {
  // As far as Node.js names them: it has the currencies in use and some that were withdrawn, and no funds.
  for (const code of Intl.supportedValuesOf("currency")) expect([code, isCurrency(code)]).toEqual([code, true]);
  for (const fine of ["EUR", "CHE", "XCG", "ZWG", "BGN", "HRK", "DEM"]) expect(isCurrency(fine)).toBe(true);
  for (const other of ["ZZZ", "XYZ", "AAA", "BTC", "CNH", "eur", "Eur", "EURO", "EU", "", " EUR", "EUR USD"]) {
    expect([other, isCurrency(other)]).toEqual([other, false]);
  }
});

const edges = [
  "",
  " ",
  "\t",
  "\n",
  "\r\n",
  "\u00a0",
  "\u3000",
  "\u2028",
  "\u200b",
  "\u200e",
  "\u2060",
  "\ufeff",
  "\u00ad",
];
edges.push("\u202a", "\u2069", "\u3164", "\u200d", " \u200c ");

test("D33: a name is trimmed of blanks and invisible characters, and its inside stays as sent", () => {
  const edge = fc.array(fc.constantFrom(...edges), { maxLength: 4 }).map((parts) => parts.join(""));
  const words = ["a", "É", "e\u0301", "  ", "\u00a0", "\u200b", "\u200d", "\u200c", "\u200e", "\u00ad", "李", "-"];
  const inside = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => `x${parts.join("")}x`);
  fc.assert(
    fc.property(edge, inside, edge, (before, name, after) => {
      expect(v.parse(oneLine(30), before + name + after)).toBe(name);
    }),
  );
});

test.each([
  ["an emoji of several, joined", "Ada 👩\u200d🚀"],
  ["a variation selector", "Ada ❤\ufe0f"],
  ["a flag of tags", "The Oak 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
  ["Persian with a zero-width non-joiner", "علی\u200cرضا"],
  ["Persian that ends in one", "نامه\u200c"],
  ["Malayalam that ends in a joiner", "മോഹന്\u200d"],
  ["Sinhala with a joiner", "ශ්\u200dරී"],
])("D33: a name keeps what its script or emoji needs: %s", (_, name) => {
  expect(v.parse(oneLine(60), ` \u200b${name}\u00a0`)).toBe(name);
});

const control = (code: number) => String.fromCharCode(code);
const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (__, at) => control(from + at));

test("D33: a name has no control characters and line ends, and no bidi embeddings, overrides and isolates", () => {
  const refused = [...span(0, 0x1f), ...span(0x7f, 0x9f), ...span(0x2028, 0x2029)];
  refused.push(...span(0x202a, 0x202e), ...span(0x2066, 0x2069), "\ud800", "\uffff");
  for (const other of refused) {
    const { issues = [] } = v.safeParse(oneLine(9), `A${other}B`);
    expect([other, issues[0]?.message]).toEqual([other, expect.stringContaining("must be one line")]);
  }
  for (const fine of ["\u200e", "\u200f", "\u061c", "\u200d", "\ufe0f", "\u00ad"]) {
    expect(v.parse(oneLine(9), `A${fine}B`)).toBe(`A${fine}B`);
  }
});

test("D33: a name of nothing that shows is empty, and the limit counts what is kept", () => {
  for (const nothing of edges) {
    expect(v.is(oneLine(9), nothing)).toBe(false);
    expect(v.parse(oneLineOrEmpty(9), nothing)).toBe("");
  }
  expect(v.parse(oneLine(3), `${" ".repeat(9)}Ada\n`)).toBe("Ada");
  expect(v.is(oneLine(3), "Adas")).toBe(false);
});

test("D33: a name that was read is read as itself", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 12 }), (typed) => {
      const { output, success } = v.safeParse(oneLine(30), typed);
      if (success) expect(v.parse(oneLine(30), output)).toBe(output);
    }),
  );
});

test("D33: a name of many invisible characters costs what its length costs", () => {
  const long = `${"\u200b ".repeat(60_000)}a${" b\u200b".repeat(60_000)}${" ".repeat(60_000)}`;
  expect(v.is(oneLine(200), long)).toBe(false);
});

test("D15: a password is measured in its normal form, however its letters are composed", () => {
  for (const [letter, shortest, longest] of [
    ["\u00e9", 8, 128],
    ["\u1ebf", 8, 128],
    ["\ud55c", 8, 128],
  ] as const) {
    for (const form of ["NFC", "NFD"]) {
      const typed = (count: number) => letter.repeat(count).normalize(form);
      const taken = [shortest - 1, shortest, longest, longest + 1].map((count) => v.is(password, typed(count)));
      expect([form, letter, taken]).toEqual([form, letter, [false, true, true, false]]);
      expect(normalPassword(typed(9))).toBe(letter.repeat(9));
    }
  }
});

test("text has no NUL, no half of a surrogate pair, no noncharacter and no U+FFFD; any other character is taken", () => {
  const refused = [
    "\0",
    "\ud800",
    "\udfff",
    "\ufffd",
    "\ufffe",
    "\uffff",
    "\ufdd0",
    "\ufdef",
    "\u{1fffe}",
    "\u{10ffff}",
  ];
  for (const other of refused) expect(v.is(text(9), `a${other}`)).toBe(false);
  for (const fine of ["\ufffc", "\ufdcf", "\ufdf0", "😀", "e\u0301", "\u0001", "\u{10fffd}"]) {
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
