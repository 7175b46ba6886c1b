import { expect, test } from "vitest";
import { isFoundBy, parseSearch, searchableStarts } from "../../shared/records/numbers.ts";
import { foundIn, numberStyles, searches } from "../functions/finance/find-invoices/number-searches.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { anyText, fc } from "../support/service/properties.ts";

function isFound(number: string, search: string): boolean {
  const parsed = parseSearch(search);
  return parsed !== undefined && isFoundBy(number, parsed);
}

test.each(searches)("D22: of 19 styles of numbers, %j finds its own", (search, expected) => {
  expect(numberStyles.filter((number) => isFound(number, search))).toEqual(foundIn(expected));
});

test("D22: 57 searches miss nothing that a substring search finds, except text inside of a part", () => {
  expect(searches).toHaveLength(57);
  const kindOf = (character = "") => [/\p{L}/u, /\p{N}/u].findIndex((kind) => kind.test(character));
  for (const [search] of searches) {
    const text = search
      .trim()
      .replace(/^[^\p{L}\p{N}]+/u, "")
      .toLowerCase();
    const beginsPart = (number: string) =>
      Array.from({ length: number.length }, (_, at) => at).some(
        (at) => number.startsWith(text, at) && kindOf(number[at - 1]) !== kindOf(text[0]),
      );
    const missed = numberStyles.filter((number) => beginsPart(number.toLowerCase()) && !isFound(number, search));
    expect(missed, search).toEqual([]);
  }
});

test.each(["", " ", "-", "#/-–_. ", "№", "€", "(", "%", "\u200b"])("D22: %j has nothing to search for", (search) => {
  expect(parseSearch(search)).toBeUndefined();
});

test.each([
  ["Счёт-0042", "счёт 42", true],
  ["Счёт-0042", "cчёт", false],
  ["請求書2026-7", "請求書", true],
  ["é7-Z", "e\u0301 7", true],
  ["Straße 7", "STRASSE", false],
  ["0000", "00", true],
  ["0000", "0", true],
  ["A-0000", "a0", true],
  ["A-0000-7", "0-7", true],
  ["A-7", "0", false],
  ["A-7", "0007", true],
  ["A-71", "0007", false],
  ["A-0071", "0007", false],
  ["A-00071", "0007", true],
  ["ＩＮＶ－００４２", "inv-42", true],
  ["ＩＮＶ－００４２", "ＩＮＶ－００４２", true],
  ["INV-0042", "ＩＮＶ－４２", true],
  ["INV-0042", "INV\u200b-\u206042\u200e", true],
  ["INV\u200b-00\u200b42", "inv 42", true],
  ["INV-٠٠٤٢", "0042", true],
  ["INV-0042", "٤٢", true],
  ["INV-0042", "INV\u221242", true],
  ["№ 55", "№ 55", true],
  ["№ 55", "55", true],
  ["INV-55", "№ 55", true],
  ["INV-77", "7\u200b", true],
  ["INV-77", "7–", false],
  [`${"0".repeat(40)}1`, `${"0".repeat(40)}1`, true],
])("D22: %s is searched by %s: %s", (number, search, expected) => {
  expect(isFound(number, search)).toBe(expected);
});

/** The rule once more, as an expression. */
function expressionOf(search: string): RegExp {
  const tokens = search.match(/[a-z]+|[0-9]+/gi) ?? [];
  const patterns = tokens.map((token, at) => {
    const [all, zeros = "", rest = ""] = /^(0*)(.*)$/.exec(token) ?? [];
    const own = /[0-9]/.test(all ?? "") ? "[0-9]" : "[a-z]";
    const isOpen = at === tokens.length - 1 && search.trimEnd().endsWith(token);
    const same = own === "[a-z]" ? token : rest === "" ? "0+" : `0*${rest}`;
    const whole = `${same}(?!${own})`;
    const begun = own === "[a-z]" ? token : `0{${zeros.length},}${rest}`;
    return `(?<!${own})(?:${isOpen ? `${whole}|${begun}` : whole})`;
  });
  return new RegExp(patterns.join("[^a-z0-9]*"), "i");
}

test("D22: any search finds what the rule says, whatever the number", () => {
  const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(..."aB0011-/ "), maxLength });
  fc.assert(
    fc.property(text(12), text(6), (number, search) => {
      if (!/[a-z0-9]/i.test(search)) return !parseSearch(search);
      return isFound(number, search) === expressionOf(search).test(number);
    }),
    { numRuns: usualOrFull(5_000, 200_000) },
  );
});

test("D22: any number is found by its own text, as it is written and as it is read", () => {
  const part = fc.oneof(
    anyText({ maxLength: 3 }),
    fc.constantFrom("INV", "-", "00", "４２", "\u200b", "ﬁ", "①", "é", "≇"),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
      const number = parts.join("").slice(0, 64);
      if (!parseSearch(number)) return;
      expect([number, number.normalize("NFD"), `\u2066${number}\u2069`].map((each) => isFound(number, each))).toEqual(
        Array(3).fill(true),
      );
    }),
    { numRuns: usualOrFull(2_000, 50_000) },
  );
});

test("D22: a number has at most 45 starts, those of its first parts, each with its key's 1,024 bytes", () => {
  for (const part of ["01-", "0a", "7-", "é0 ", "\ufb2c7", "İ0", "\ufdfa", "\ufdfa7", "Ⅷ-"]) {
    const number = part.repeat(64).slice(0, 64);
    const starts = searchableStarts(number);
    expect(starts.length).toBeLessThanOrEqual(45);
    expect(isFound(number, number)).toBe(true);
    for (const start of starts) expect(Buffer.byteLength(start)).toBeLessThan(900);
  }
  const parts = Array.from({ length: 60 }, (_, at) => `${at + 1}`).join("-");
  expect(searchableStarts(parts)).toHaveLength(45);
  expect([isFound(parts, "45-46"), isFound(parts, "46-47")]).toEqual([true, false]);
});

test("D22: starts of common styles", () => {
  expect(searchableStarts("INV-2026-0042")).toEqual(["inv-2026-42-#002", "2026-42-#02", "42-#2"]);
  expect(searchableStarts("F2026-0053A")).toEqual(["f-2026-53-a-#002", "2026-53-a-#02", "53-a-#2", "a-#"]);
  expect(searchableStarts("RE0042")).toEqual(["re-42-#02", "42-#2"]);
  expect(searchableStarts("--")).toEqual([]);
});
