import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import { type GenericSchema, safeParse } from "valibot";
import { beforeEach, describe, expect, test } from "vitest";
import { pinDigits } from "../../../shared/contract/accounts.ts";
import { type FieldCode, fieldFaults } from "../../../shared/contract/refusals.ts";
import { type AwsCall, watchCalls } from "../../support/faults/aws-calls.ts";
import { call } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

/** A value that a field refuses: its code, and the place below the field that is named. */
type Fault = readonly [value: unknown, code: FieldCode, place?: string];

const bulkIds: Fault[] = [
  [null, "wrong_type"],
  [Array.from({ length: 91 }, (_, index) => index + 1), "too_long"],
  [[0], "out_of_range", "/0"],
  ...[["1"], [null], [1.5], [2 ** 53], [1e300]].map((ids): Fault => [ids, "wrong_type", "/0"]),
];

/** The values that a field refuses besides its type and limits; a field that has another meaning in one operation stands with its name. */
const further: Readonly<Record<string, readonly Fault[]>> = {
  login: [
    [`${"a".repeat(309)}@example.com`, "too_long"],
    ["nobody", "invalid"],
  ],
  pin: [
    ...["", "12345", "1234567", "1234567890", "123456-7890", "1234 5678 901", "123_456", "12345x", "１２３４５"].map(
      (typed): Fault => [typed, "invalid"],
    ),
    [`123${" ".repeat(320)}456`, "too_long"],
  ],
  password: [
    ["xq7 wv2", "invalid"],
    ["x".repeat(129), "invalid"],
  ],
  "sign-in password": [],
  "create-api-key password": [],
  password_confirmation: [
    ["seven quiet harbours!", "invalid"],
    ["SEVEN QUIET HARBOURS", "invalid"],
  ],
  locale: ["de-DE", "DE"].map((locale): Fault => [locale, "not_allowed"]),
  platform: [
    ["pager", "invalid"],
    ["constructor", "invalid"],
  ],
  timesheet_ids: bulkIds,
  job_ids: bulkIds,
  notification_ids: bulkIds,
  state: [["overdue", "not_allowed"]],
  passcode: [
    ...[123, "0123", "12a4", 123456789, 1234.5].map((value): Fault => [value, "invalid"]),
    [[1234], "wrong_type"],
  ],
  timer: [-1, 31_536_001].map((timer): Fault => [timer, "out_of_range"]),
};

/** A value of another type than a field's. */
const ofAnotherType = (values: unknown[]) => values.map((value): Fault => [value, "wrong_type"]);

/** Values that a field refuses for its type and limits. No text of a body has a NUL, a lone surrogate, a noncharacter or U+FFFD. */
function plainFaults({ type, anyOf, enum: choices, pattern, ...limits }: JsonSchema): Fault[] {
  const [only, ...others] = (anyOf ?? []).filter((each) => Object(each).type !== "null");
  if (typeof only === "object") return others.length === 0 ? plainFaults(only) : ofAnotherType([{ a: 1 }]);
  if (choices) return ["", "another", 7, ["de"]].map((value): Fault => [value, "not_allowed"]);
  if (type === "string") {
    const texts = ["a\0@example.com", "\ud800@example.com", "a\uffff", "\u{1ffff}", "M\ufffdller"];
    const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = limits;
    return [
      ...ofAnotherType([7, ["a"], { a: 1 }]),
      ...texts.map((value): Fault => [value, "invalid"]),
      ...(minLength > 0 ? [["", "too_short"] satisfies Fault] : []),
      ...(maxLength < 10_000 && !pattern ? [["x".repeat(maxLength + 1), "too_long"] satisfies Fault] : []),
    ];
  }
  if (type === "array")
    return [...ofAnotherType([1, { a: 1 }]), ...(limits.minItems ? [[[], "too_short"] as const] : [])];
  if (type !== "integer" && type !== "number") return ofAnotherType(["true", 7]);
  const { minimum = Number.NaN, maximum = Number.NaN } = limits;
  const outside = [minimum - 1, maximum + 1].filter((value) => !Number.isNaN(value));
  return [
    ...ofAnotherType(["60", ...(type === "integer" ? [1.5] : [])]),
    ...outside.map((value): Fault => [value, "out_of_range"]),
  ];
}

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

  const { properties = {}, required = [] } = toJsonSchema(fields as GenericSchema, {
    errorMode: "ignore",
    typeMode: "ignore",
  });

  test.each(Object.entries(properties))("%s is named, and nothing is written", async (field, schema) => {
    const others = further[`${name} ${field}`] ?? further[field] ?? [];
    const isEmpty = ([value]: Fault) => value === null || value === "";
    const isLeftOut = (fault: Fault) => !required.includes(field) && isEmpty(fault);
    const refused: Fault[] = [...plainFaults(Object(schema)), ...others].filter((fault) => !isLeftOut(fault));
    if (required.includes(field)) refused.push([undefined, "missing"]);
    for (const [value, code, place = ""] of refused) {
      // A query string has text alone.
      if (!object && value !== undefined && typeof value !== "string") continue;
      const answer = await send({ [field]: value });
      expectProblem(answer, 422, "fields_invalid");
      const fault = object ? { pointer: `/${object}/${field}${place}`, code } : { parameter: field, code };
      expect(answer.body.errors, JSON.stringify(value)).toContainEqual(expect.objectContaining(fault));
      // JSON's parser has rounded what was sent.
      expect(JSON.stringify(answer.body)).not.toContain(String(2 ** 53));
    }
    expect(writes).toEqual([]);
  });

  const optional = Object.keys(properties).filter((field) => !required.includes(field));
  test.each(optional)("D33: %s counts as left out if it is null or empty", (field) => {
    const { [field]: _, ...without } = own.body[object];
    for (const empty of [null, ""]) {
      expect(outcomeOf(fields, { ...without, [field]: empty })).toEqual(outcomeOf(fields, without));
    }
  });
});

/** The fields of bodies whose values an answer may repeat: states and ids of records. */
const isShown = (name: string) => /^(state|id|.+_ids)$/.test(name);

const withBody = taking.filter(({ operation }) => operation.body);
test.each(withBody)("D31: 422: $name repeats no value but states and ids", async ({ operation, handler, sample }) => {
  const { object = "", fields } = operation.body ?? {};
  const names = Object.keys(
    toJsonSchema(fields as GenericSchema, { errorMode: "ignore", typeMode: "ignore" }).properties ?? {},
  );
  const { body: own } = JSON.parse(JSON.stringify(sample));
  for (const name of names) {
    const body = { [object]: { ...own[object], [name]: "Ada Holt \u0000" } };
    const user = allowedUser(operation);
    const { body: answered } = await call(handler, operation, { ...sample, ...(user && { as: user }), body });
    const isRepeated = JSON.stringify(answered).includes("Ada");
    expect(isRepeated, name).toBe(isShown(name));
  }
});

/** The parsed fields of a body, without those that are undefined, or the faults in them. */
function outcomeOf(fields: unknown, sent: object): unknown {
  const { issues, output } = safeParse(fields as GenericSchema, sent);
  return issues ? fieldFaults(issues) : JSON.parse(JSON.stringify(output));
}
