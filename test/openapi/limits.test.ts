import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { registerDeviceToken } from "../../shared/contract/devices.ts";
import { listInvoices } from "../../shared/contract/finance.ts";
import { maxParamsBytes } from "../../shared/contract/notifications.ts";
import { parameterNames } from "../../shared/contract/operation.ts";
import { dateFilter } from "../../shared/contract/query.ts";
import { storableParams } from "../../shared/contract/records.ts";
import { signIn } from "../../shared/contract/sessions.ts";
import { locales, oneLine, text, uuid } from "../../shared/contract/values.ts";
import { pageLinks } from "../../shared/http/answer.ts";
import type { HttpRequest } from "../../shared/http/event.ts";
import { validate } from "../../shared/http/input.ts";
import { notifyingRecordTypes } from "../../shared/notifications/kinds.ts";
import { withNotificationTexts } from "../../shared/notifications/words.ts";
import { eventOf } from "../support/requests/call.ts";
import { faultsAt } from "../support/requests/described-answers.ts";

const schemaOf = (...place: string[]) => ["components", "schemas", ...place];
const bodyOf = ({ path, method }: { path: string; method: string }) => {
  return ["paths", path, method.toLowerCase(), "requestBody", "content", "application/json", "schema"];
};

describe("the document takes what the contract takes, and no other characters", () => {
  const fits = (place: readonly string[], value: unknown) => faultsAt(place, value).length === 0;

  test.each(["\0", "\ufdd0", "\ufdef", "\ufffd", "\ufffe", "\uffff"])("of text: not %j", (other) => {
    expect([v.is(text(9), other), fits(schemaOf("PublicKey", "properties", "x"), other)]).toEqual([false, false]);
  });

  test.each(["\u0001", "\n", "\ufdcf", "\ufdf0", "\ufffc", "😀", "\u{10fffd}"])("of text: %j", (fine) => {
    expect([v.is(text(9), fine), fits(schemaOf("PublicKey", "properties", "x"), fine)]).toEqual([true, true]);
  });

  test.each([
    ...["\0", "\u0001", "\n", "\u0085", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069", "\ufdd0", "\uffff"],
    ...["\u200d", "\u200e", "\u202f", "\u2065", "\u206a", "\ufe0f", "\ufffd", "😀", "\u{10fffd}"],
  ])("of a name: %j", (inside) => {
    const name = `a${inside}b`;
    expect(fits(schemaOf("Company", "properties", "name"), name)).toBe(v.is(oneLine(9), name));
  });

  test.each([
    ...[
      "2026-05-01",
      "2026-05-01T08:30:00.000Z",
      "2026-05-01 10:00",
      "2026-05-01T10:00:00+02:00",
      "2026-05-01T10:00:00 02:00",
    ],
    ...["2026", "01.05.2026", "2026-05-01x", "2026-05-01T\n10:00"],
  ])("of the outline of a date filter: %j", (value) => {
    expect(fits(schemaOf("DateFilter"), value)).toBe(v.is(dateFilter, value));
  });

  test.each([
    ...["740F4707bebcf74f9b7c25d48e335894", "cK1:APA91b-_.=", "\u009e", "a b", "é"],
  ])("of a device token: %j", (token) => {
    const isTaken = v.is(registerDeviceToken.body.fields, { token });
    expect(fits(bodyOf(registerDeviceToken), { notification: { token } })).toBe(isTaken);
  });

  test.each(["p\uffff\n", "p\0"])("of a typed password: %j", (password) => {
    const user = { login: "olivia@example.com", password };
    expect(fits(bodyOf(signIn), { user })).toBe(v.is(signIn.body.fields, user));
  });

  test.each([
    ...["0196f2a4-5c80-8b1e-8000-00000000020e", "0196F2A4-5C80-0B1E-0000-00000000020E"],
    ...["0196f2a45c808b1e800000000000020e", "g196f2a4-5c80-8b1e-8000-00000000020e", ""],
  ])("of a UUID: %j", (value) => {
    expect(fits(schemaOf("Invoice", "properties", "uuid"), value)).toBe(v.is(uuid(), value));
  });
});

describe("limits of answers hold for the longest values", () => {
  const types = [...Object.keys(notifyingRecordTypes), "R".repeat(100)];
  const kinds = Object.values(notifyingRecordTypes).flatMap((each) => Object.keys(each.kinds));

  test.each(types)("D45: of the text of a %s with 16 KiB of params", (record_type) => {
    for (const type of [...kinds, "k".repeat(100)]) {
      const length = maxParamsBytes - JSON.stringify({ type, date: "2026-05-01", title: "" }).length;
      const params = { type, date: "2026-05-01", title: "t".repeat(length) };
      expect(v.is(storableParams, params)).toBe(true);
      for (const locale of locales) {
        const [shown] = withNotificationTexts([{ record_type, params }], locale);
        expect(shown?.params.text.length).toBeGreaterThan(length);
        expect(faultsAt(schemaOf("Notification", "properties", "params"), shown?.params)).toEqual([]);
      }
    }
  });

  test("D30: of the links of a page whose address has 4 KiB of filters", async () => {
    const query = {
      by_state: `paid,${"\u3000".repeat(180)}overdue`,
      by_number: "日".repeat(64),
      per_page: `${"0".repeat(3_200)}1`,
    };
    const event = await eventOf(listInvoices, { query });
    validate(listInvoices).before({ event } as HttpRequest);
    const place = { number: 3, perPage: 1, nextCursor: "c".repeat(200) };
    const links = pageLinks(event, parameterNames(listInvoices), place, 1_000);
    expect(links?.match(/rel=/g)).toHaveLength(4);
    expect(links?.length).toBeLessThan(4 * 1_024);
    expect(faultsAt(["components", "headers", "link", "schema"], links)).toEqual([]);
  });
});
