import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { confirmLogin, confirmLoginByBody } from "../../shared/contract/accounts.ts";
import { optionalPasscode } from "../../shared/contract/finance.ts";
import { typedText } from "../../shared/contract/values.ts";
import { usualOrFull } from "../support/service/counts.ts";
import { anyText, fc } from "../support/service/properties.ts";

const pinText = confirmLoginByBody.body.fields.entries.pin;
const everyCharacter = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const charactersOf = (kind: RegExp) => everyCharacter.filter((character) => kind.test(character));

const unseen = charactersOf(/[\p{Cf}\p{Variation_Selector}]/u);
const dashes = [...charactersOf(/\p{Pd}/u), "\u2212", "\u207b", "\u208b", "\u2796", "\u2043", "\u02d7"];
const blanks = charactersOf(/\s/u).filter((character) => character !== "\ufeff");
const brackets = charactersOf(/[\p{Ps}\p{Pe}]/u);
const digits = charactersOf(/\p{Nd}/u);

/** The ten digits of each script that the language's own tables know, from 0 on. */
const scripts = Intl.supportedValuesOf("numberingSystem")
  .map((numberingSystem) => {
    const { format } = new Intl.NumberFormat("en", { numberingSystem, useGrouping: false });
    return Array.from({ length: 10 }, (_, value) => format(value));
  })
  .filter(([zero = ""]) => /^\p{Nd}$/u.test(zero));

const runs = { numRuns: usualOrFull(2_000, 50_000) };

describe("typedText", () => {
  test("reads the digits of every script as 0 to 9", () => {
    expect(scripts.length).toBeGreaterThan(50);
    for (const script of scripts) expect(typedText(script.join(""))).toBe("0123456789");
    for (const digit of digits) expect(typedText(digit)).toMatch(/^[0-9]$/);
  });

  test("drops what nobody sees, and reads every dash as a hyphen and every blank as a space", () => {
    for (const character of unseen) expect(typedText(`a${character}b`)).toBe("ab");
    for (const dash of dashes) expect(typedText(`a${dash}b`)).toBe("a-b");
    for (const blank of blanks) expect(typedText(`${blank}a${blank}b${blank}`)).toBe("a b");
  });

  test("reads what it has read as the same", () => {
    const all = typedText(everyCharacter.map((character) => `a${character}\u0301b`).join(""));
    expect(typedText(all) === all).toBe(true);
    const text = fc.array(fc.oneof(anyText({ maxLength: 3 }), fc.constantFrom(...unseen, ...dashes, "e", "\u0301")));
    fc.assert(
      fc.property(text, (parts) => {
        const read = typedText(parts.join(""));
        expect(typedText(read)).toBe(read);
      }),
      runs,
    );
  });
});

/** Digits as a person may have them, with what does not count before, between and behind them. */
const decorated = (least: number, most: number) => {
  const ignored = fc.string({ unit: fc.constantFrom(...unseen, ...dashes, ...blanks, ...brackets), maxLength: 3 });
  const digit = fc.tuple(fc.constantFrom(...scripts), fc.nat(9));
  const written = fc.tuple(ignored, digit).map(([before, [script, value]]) => ({
    text: before + script[value],
    value: String(value),
  }));
  return fc.tuple(fc.array(written, { minLength: least, maxLength: most }), ignored).map(([all, end]) => ({
    text: all.map(({ text }) => text).join("") + end,
    value: all.map(({ value }) => value).join(""),
  }));
};

describe("D9: a pin", () => {
  test("with anything that does not count, in any script, reads as itself", () => {
    for (const length of [6, 12]) {
      fc.assert(
        fc.property(decorated(length, length), ({ text, value }) => {
          expect(v.parse(pinText, text)).toBe(value);
        }),
        runs,
      );
    }
  });

  test("of another length is refused", () => {
    const others = decorated(0, 14).filter(({ value }) => ![6, 12].includes(value.length));
    fc.assert(
      fc.property(others, ({ text }) => {
        expect(v.is(pinText, text)).toBe(false);
      }),
      runs,
    );
  });

  test("with a letter or symbol is refused, whatever is left without it", () => {
    const other = fc.constantFrom("O", "l", "é", "ー", "一", "+", "$", "№", "\u20e3", "❤", "\u0007");
    fc.assert(
      fc.property(decorated(6, 6), other, fc.nat(), ({ text }, letter, place) => {
        const at = place % (text.length + 1);
        expect(v.is(pinText, text.slice(0, at) + letter + text.slice(at))).toBe(false);
      }),
      runs,
    );
  });

  test.each([
    "123456.",
    "“123456”",
    "*123456*",
    "(123456).",
    "'123 456',",
    "【123456】",
    "＃１２３４５６",
  ])("copied out of a sentence as %s is read", (typed) => expect(v.parse(pinText, typed)).toBe("123456"));

  test.each(["123.456", "123,456", "12345½", "1e5000", "123456\n7", "", "......"])("is not %j", (typed) => {
    expect(v.is(pinText, typed)).toBe(false);
  });
});

test("D19: a passcode is read as a pin is, a number as it is", () => {
  for (const typed of ["4821", " 48-21 ", "４８２１", "٤٨٢١", "(48)\u200b21.", 4821])
    expect(v.parse(optionalPasscode, typed)).toBe("4821");
  for (const typed of ["482", "0482", "٠٤٨٢", "48.21", "4821x", -4821, 48.21, 0.4821, " ", "\u200b"])
    expect(v.is(optionalPasscode, typed)).toBe(false);
});

describe("D7: a login in a query string", () => {
  const read = (login: string) => v.parse(confirmLogin.query.entries.login, login);

  test.each([
    ["ann work@example.com", "ann+work@example.com"],
    ["\u200e ann work＠example.com \u200e", "ann+work＠example.com"],
    ["\ufeff ann@example.com\u00a0", "ann@example.com"],
    ["ann\u00a0work@example.com", "ann\u00a0work@example.com"],
    [" 447400123456", "+447400123456"],
    ["\u202a 44 7400 123456\u202c", "+44 7400 123456"],
    ["（ ٤٤）7400 123456", "（+٤٤）7400 123456"],
    ["\u00a007400 123456", "\u00a007400 123456"],
  ])("has a plus sign for its unescaped space alone: %j is %j", (typed, login) => expect(read(typed)).toBe(login));
});
