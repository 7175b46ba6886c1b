import { beforeEach, describe, expect, test } from "vitest";
import { pinDigits } from "../../../shared/contract/accounts.ts";
import type { FieldCode } from "../../../shared/contract/field-faults.ts";
import { type AwsCall, watchCalls } from "../../support/faults/aws-calls.ts";
import { call } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

/** A value that a field refuses: its code, and the place below the field that is named. */
type Fault = readonly [value: unknown, code: FieldCode, place?: string];

const badText: Fault[] = [
  [undefined, "missing"],
  [7, "wrong_type"],
  [["a"], "wrong_type"],
  [{ a: 1 }, "wrong_type"],
  ["", "too_short"],
  ["a\0@example.com", "invalid"],
  ["\ud800@example.com", "invalid"],
  ["a\uffff", "invalid"],
  ["\u{1ffff}", "invalid"],
];
const textUpTo = (most: number): Fault[] => [...badText, ["x".repeat(most + 1), "too_long"]];

const newPassword: Fault[] = [...textUpTo(256), ["xq7 wv2", "invalid"], ["x".repeat(129), "invalid"]];

const bulkIds: Fault[] = [
  [undefined, "missing"],
  [null, "wrong_type"],
  [1, "wrong_type"],
  [[], "too_short"],
  [Array.from({ length: 91 }, (_, index) => index + 1), "too_long"],
  [[0], "out_of_range", "/0"],
  ...[["1"], [null], [1.5], [2 ** 53], [1e300]].map((ids): Fault => [ids, "wrong_type", "/0"]),
];

const passcode: Fault[] = [
  ...[123, "0123", "12a4", 123456789, 1234.5].map((value): Fault => [value, "invalid"]),
  [[1234], "wrong_type"],
];

const optional = (faults: readonly Fault[]) => faults.filter(([value]) => value !== undefined);

/** What each field refuses, in whatever operation it is; a field that has another meaning in one stands with its name. */
const faults: Readonly<Record<string, readonly Fault[]>> = {
  login: [...badText, [`${"a".repeat(309)}@example.com`, "too_long"], ["nobody", "invalid"]],
  pin: [
    [undefined, "missing"],
    [123456, "wrong_type"],
    ...["", "12345", "1234567", "1234567890", "123456-7890", "1234 5678 901", "123_456", "12345x", "１２３４５６"].map(
      (typed): Fault => [typed, "invalid"],
    ),
    [`123${" ".repeat(70)}456`, "invalid"],
  ],
  password: newPassword,
  "sign-in password": [
    [undefined, "missing"],
    [12345678, "wrong_type"],
    ["", "too_short"],
    ["x".repeat(257), "too_long"],
    ["\ud800", "invalid"],
    ["a\0", "invalid"],
  ],
  password_confirmation: [...textUpTo(256), ["seven quiet harbours!", "invalid"], ["SEVEN QUIET HARBOURS", "invalid"]],
  first_name: textUpTo(200),
  last_name: textUpTo(200),
  "set-password first_name": optional(textUpTo(200)),
  "set-password last_name": optional(textUpTo(200)),
  locale: ["fr", "de-DE", "DE", "", 7, ["de"]].map((locale): Fault => [locale, "not_allowed"]),
  reset_password_token: textUpTo(4_096),
  refresh_token: textUpTo(4_096),
  token: textUpTo(4_096),
  platform: [...optional(textUpTo(20)), ["pager", "invalid"], ["constructor", "invalid"]],
  device_id: optional(textUpTo(200)),
  timesheet_ids: bulkIds,
  job_ids: bulkIds,
  notification_ids: optional(bulkIds),
  state: [
    [undefined, "missing"],
    ["overdue", "not_allowed"],
    [1, "not_allowed"],
  ],
  passcode,
  timer: [
    [undefined, "missing"],
    ["60", "wrong_type"],
    [1.5, "wrong_type"],
    [-1, "out_of_range"],
    [31_536_001, "out_of_range"],
  ],
  read: [
    [undefined, "missing"],
    ["true", "wrong_type"],
  ],
};

const writes: AwsCall[] = [];
watchCalls((made, send) => {
  if (!/^(Get|Query|BatchGet|TransactGet)/.test(made.command)) writes.push(made);
  return send();
});

useService();
beforeEach(() => void writes.splice(0));

/** The operations whose fields are in a body, and the one that has a login and its pin in the query string. */
const taking = endpoints.filter(({ name, operation }) => operation.body || name === "confirm-login");

describe.each(taking)("422: $name", ({ name, operation, handler, sample }) => {
  const { object = "", fields = operation.query } = operation.body ?? {};
  const own = JSON.parse(JSON.stringify(sample).replaceAll("{{pin}}", "0".repeat(pinDigits)));
  const user = allowedUser(operation);
  const send = (changes: object) => {
    const sent = object
      ? { body: { [object]: { ...own.body[object], ...changes } } }
      : { query: { ...own.query, ...changes } };
    return call(handler, operation, { ...own, ...(user && { as: user }), ...sent });
  };

  test.each(
    Object.keys((fields as unknown as { entries: object }).entries),
  )("%s is named, and nothing is written", async (field) => {
    const refused = faults[`${name} ${field}`] ?? faults[field];
    expect(refused, `Say in this file what the field ${field} refuses`).toBeDefined();
    for (const [value, code, place = ""] of refused ?? []) {
      // A query string has text alone.
      if (!object && value !== undefined && typeof value !== "string") continue;
      const answer = await send({ [field]: value });
      expectProblem(answer, 422, "fields_invalid");
      const fault = object ? { pointer: `/${object}/${field}${place}`, code } : { parameter: field, code };
      expect(answer.body.errors, JSON.stringify(value)).toContainEqual(expect.objectContaining(fault));
    }
    expect(writes).toEqual([]);
  });
});
