import * as v from "valibot";
import { afterEach, describe, expect, test, vi } from "vitest";
import { gsmSeptetsOf } from "../../infra/stages/gsm-septets.ts";
import { serviceName } from "../../infra/stages/setting-values.ts";
import { longPinDigits } from "../../shared/contract/accounts.ts";
import { mostApiKeys } from "../../shared/contract/api-keys.ts";
import type { Catalogue, Paragraph } from "../../shared/messages/catalogue.ts";
import { catalogueOf, catalogues } from "../../shared/messages/catalogues.ts";
import { renderEmail } from "../../shared/messages/send.ts";
import { notifyingRecordTypes } from "../../shared/notifications/kinds.ts";
import { pushTextOf, withNotificationTexts } from "../../shared/notifications/words.ts";
import { pinRules, shownPin } from "../../shared/people/pins.ts";

const all = Object.values(catalogues);
const pin = shownPin("0".repeat(longPinDigits));
/** The longest names that a stage may have: of letters, of characters that count as two, and of those beyond ASCII. */
const longestNames = ["x".repeat(60), "€".repeat(30), "Ü".repeat(60), "^{}[~]|\\€".repeat(3).padEnd(33, "ß")];
/** Each day of a leap year in its first and last minute: whatever day and time are longest in a language are among them. */
const moments = Array.from({ length: 366 }, (_, day) => Date.UTC(2028, 0, 1 + day)).flatMap((day) => [
  new Date(day),
  new Date(day + 86_399_999),
]);

/** One part has 160 septets, or 70 units of UTF-16 where a character is not in the GSM alphabet. */
const isOnePart = (sms: string) => gsmSeptetsOf(sms) <= 160 || sms.length <= 70;

const kindNames = Object.entries(notifyingRecordTypes).flatMap(([recordType, { kinds }]) =>
  Object.keys(kinds).map((type) => [recordType, type] as const),
);
const march = new Date("2028-03-01T09:05:00.000Z");

afterEach(() => void vi.unstubAllEnvs());

/** All that is said in a language, codes apart. */
function allWords(catalogue: Catalogue): string[] {
  const pinFacts = { service: "Workforce", pin, minutes: pinRules.lifeMinutes };
  const noticeFacts = { service: "Workforce", at: march };
  const withKeys = [0, 1, mostApiKeys].map((endedKeys) => ({ ...noticeFacts, endedKeys }));
  const keyFacts = (["read", "act"] as const).map((access) => ({ ...noticeFacts, access, validTo: march }));
  const emails = [
    catalogue.pinEmail(pinFacts),
    ...withKeys.map(catalogue.passwordChangedEmail),
    ...keyFacts.map(catalogue.apiKeyCreatedEmail),
  ];
  return [
    ...new Set(emails.flatMap(({ subject, paragraphs }) => [subject, ...paragraphs.filter(isSentence)])),
    catalogue.pinSms(pinFacts),
    ...withKeys.map(catalogue.passwordChangedSms),
    catalogue.apiKeyCreatedSms(noticeFacts),
    ...kindNames.map(([recordType, type]) => pushTextOf(catalogue.locale, recordType, type).body),
  ];
}

function isSentence(paragraph: Paragraph): paragraph is string {
  return typeof paragraph === "string";
}

describe.each(all)("D45: in $locale", (catalogue) => {
  test("every SMS is one part with the longest name of a service and any pin, day and time", () => {
    for (const service of longestNames) {
      expect(v.is(serviceName, service)).toBe(true);
      const texts = [
        catalogue.pinSms({ service, pin, minutes: pinRules.lifeMinutes }),
        ...moments.flatMap((at) => [
          ...[0, 1, mostApiKeys].map((endedKeys) => catalogue.passwordChangedSms({ service, at, endedKeys })),
          catalogue.apiKeyCreatedSms({ service, at }),
        ]),
      ];
      expect(texts.filter((sms) => !isOnePart(sms))).toEqual([]);
      expect(texts.every((sms) => sms.includes(service))).toBe(true);
    }
  });

  test("what a stage has written reaches HTML escaped, and everything else as it is", () => {
    const service = `<b title="x">Ines & 'Co'</b>`;
    const emails = [
      catalogue.pinEmail({ service, pin: "<i>", minutes: 1 }),
      catalogue.passwordChangedEmail({ service, at: march, endedKeys: 2 }),
      catalogue.apiKeyCreatedEmail({ service, at: march, access: "act", validTo: march }),
    ];
    for (const words of emails) {
      const { to, subject, text, html } = renderEmail(catalogue, "ines@example.com", words);
      expect(to).toBe("ines@example.com");
      expect(subject).toContain(service);
      expect(text).toContain(service);
      expect(html).toContain(`<html lang="${catalogue.locale}">`);
      expect(html).toContain("&#60;b title=&#34;x&#34;&#62;Ines &#38; &#39;Co&#39;&#60;/b&#62;");
      expect(html).not.toMatch(/<(?!\/?(?:p|strong|body|html|!doctype html)[ >])/);
    }
  });

  test("each kind of notification has words, and one of other systems keeps its own", () => {
    for (const [recordType, type] of kindNames) {
      const { title, body } = pushTextOf(catalogue.locale, recordType, type);
      expect(title).toMatch(/^\p{Lu}\p{L}+$/u);
      expect(body).toMatch(/^\p{Lu}[\p{L} ]{9,}$/u);
    }
    expect(pushTextOf(catalogue.locale, "Shift", "swap_offered")).toEqual({ title: "Shift", body: "swap offered" });
    expect(pushTextOf(catalogue.locale, "constructor", "name")).toEqual({ title: "constructor", body: "name" });
    expect(pushTextOf(catalogue.locale, "Job", "toString").body).toBe("toString");
  });
});

describe("D45: the text of a notification in a list", () => {
  const textsOf = (params: { type: string } & Record<string, unknown>, locale?: string, record_type = "Timesheet") =>
    withNotificationTexts([{ record_type, params }], locale)[0]?.params;

  test("is the sentence of its push with what the record was called, in the reader's language", () => {
    const paid = { type: "paid", title: "Night driver", date: "2028-03-01" };
    expect(textsOf(paid, "en")).toEqual({ ...paid, text: "A timesheet was paid: Night driver, 1 Mar 2028" });
    expect(textsOf(paid, "de")?.text).toBe("Ein Stundenzettel wurde bezahlt: Night driver, 01.03.2028");
    expect(textsOf({ type: "overdue", number: "INV-7" }, "en", "Invoice")?.text).toBe("An invoice is overdue: INV-7");
    expect(textsOf({ type: "submitted" }, "de")?.text).toBe("Ein Stundenzettel wurde eingereicht");
  });

  test("is in the stage's language for a reader without one", () => {
    vi.stubEnv("LOCALE", "de");
    expect([textsOf({ type: "paid" })?.text, textsOf({ type: "paid" }, "en")?.text]).toEqual([
      "Ein Stundenzettel wurde bezahlt",
      "A timesheet was paid",
    ]);
  });

  test("is another system's own if it sent one, and text whatever it put under our names", () => {
    const sent = { type: "message", text: "Call Ada", place: { floor: 2 } };
    expect(textsOf(sent, "en", "Chat")).toEqual(sent);
    const odd = { type: "swap_offered", title: null, number: 7, date: "soon", text: { en: "Swap" } };
    expect(textsOf(odd, "en", "Shift")).toEqual({
      type: "swap_offered",
      title: undefined,
      number: "7",
      date: "soon",
      text: "Shift: swap offered: 7, soon",
    });
  });
});

test("D45: each sentence is another one in each language", () => {
  const said = all.map(allWords);
  expect(new Set(said.map(({ length }) => length)).size).toBe(1);
  expect(new Set(said.flat()).size).toBe(said.flat().length);
});

test("D45: German is polite, and writes days, times and numbers as Germans do", () => {
  const said = allWords(catalogues.de).join("\n");
  expect(said).not.toMatch(/\b(?:du|dich|dir|dein\w*|euch|euer)\b/i);
  expect(said).toContain("am 1. März 2028 um 09:05 Uhr (UTC)");
  expect(said).toContain("am 01.03.2028 um 09:05 UTC");
  expect(said).toContain("12 Minuten");
});

test("D45: English writes days so that nobody takes the day for the month", () => {
  const said = allWords(catalogues.en).join("\n");
  expect(said).toContain("on 1 March 2028 at 09:05 UTC");
  expect(said).toContain("on 1 Mar 2028 at 09:05 UTC");
  expect(catalogues.en.pinSms({ service: "Workforce", pin, minutes: 1 })).toContain("valid for 1 minute.");
});

test.each([
  ["Workforce", 9],
  ["\n\r @Δ£", 6],
  ["äöüßÄÖÜñàéÇ", 11],
  ["\f^{}\\[~]|€", 20],
  ["ç", Number.POSITIVE_INFINITY],
  ["Driver’s", Number.POSITIVE_INFINITY],
  ["`", Number.POSITIVE_INFINITY],
  ["\t", Number.POSITIVE_INFINITY],
  ["\u00a0", Number.POSITIVE_INFINITY],
  ["😀", Number.POSITIVE_INFINITY],
])("D45: %j has %s septets", (text, septets) => {
  expect(gsmSeptetsOf(text)).toBe(septets);
});

test.each([
  "x".repeat(61),
  "€".repeat(31),
  "Łódź Crew",
  "Driver’s Hub",
  "Crew 🚚",
])("D45: no stage has the name %s, with which an SMS would be several", (name) => {
  expect(v.is(serviceName, name)).toBe(false);
});

test.each([
  ["de", "en", "de"],
  ["en", "de", "en"],
  [null, "de", "de"],
  [undefined, "en", "en"],
  ["fr", "de", "de"],
  ["constructor", "en", "en"],
])("D45: a user's language %s at a stage's %s is %s: one that only another release has counts as none", (...row) => {
  const [locale, stage, expected] = row;
  vi.stubEnv("LOCALE", stage);
  expect(catalogueOf(locale).locale).toBe(expected);
});

test("D45: a stage's language that there is not is named", () => {
  vi.stubEnv("LOCALE", "fr");
  expect(() => catalogueOf(null)).toThrow("The setting LOCALE must be one of en, de");
});
