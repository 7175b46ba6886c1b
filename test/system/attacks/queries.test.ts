import { beforeAll, describe, expect, test } from "vitest";
import { handler as listInvoicesHandler } from "../../../functions/finance/list-invoices.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { parameterNames, roles } from "../../../shared/contract/operation.ts";
import type { OperationName } from "../../../shared/contract/operations.ts";
import type { FieldCode } from "../../../shared/contract/refusals.ts";
import { callerLine, userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, eventOf } from "../../support/requests/call.ts";
import { allowedUser, endpoints, userOf } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { usualFreshOrFull } from "../../support/service/fresh-counts.ts";
import { anyText, fc } from "../../support/service/properties.ts";
import { useService } from "../../support/service/service.ts";

/** A text that a parameter refuses, and its code. */
type Fault = readonly [text: string, code: FieldCode];

const dates: Fault[] = [
  ...["2026-02-30", "01/02/2026", "2026-02-01Tnoon"].map((date): Fault => [date, "invalid"]),
  [`2026-02-01T09:00:00.${"0".repeat(30)}Z`, "too_long"],
];
const ids = ["seven", "-1", "0", "1.5", "%00", "9007199254740992", "99999999999999999999"].map(
  (id): Fault => [id, "invalid"],
);
const states: Fault[] = [
  ["draft", "not_allowed"],
  ["paid,draft", "not_allowed"],
  [",".repeat(201), "too_long"],
];

const pages = ["two", "0", "-1", "1.5", "1e3", " 2", "2,3", "undefined", "9".repeat(16)].map(
  (page): Fault => [page, "invalid"],
);

/** The values that each parameter of a query or path refuses, as `faults` of the fields of bodies. */
const faults: Readonly<Record<string, readonly Fault[]>> = {
  by_state: states,
  "list-timesheets by_state": [...states, ["overdue", "not_allowed"]],
  from_date: dates,
  to_date: dates,
  by_company: ids,
  by_user: ids,
  by_number: [
    ["x".repeat(65), "too_long"],
    ["\u0000", "invalid"],
    ["\ud800", "invalid"],
  ],
  record_type: [
    ["Company", "not_allowed"],
    ["job", "not_allowed"],
  ],
  record_id: ids,
  change_id: [["x", "invalid"]],
  page: pages,
  per_page: pages,
  cursor: [["x".repeat(201), "too_long"]],
  // A text that is no id of a record, session or change names none: 404.
  id: [],
  "remove-device-token id": ids,
};

/** Parameters that are refused together: the one that is named, and its code. */
const together: [OperationName, Readonly<Record<string, string>>, parameter: string, FieldCode][] = [
  ["list-invoices", { from_date: "2026-02-02", to_date: "2026-02-01" }, "from_date", "invalid"],
  ["list-timesheets", { from_date: "2026-02-02", to_date: "2026-02-01" }, "from_date", "invalid"],
  ["list-changes", { by_user: "1", by_company: "1" }, "by_company", "invalid"],
  ["list-changes", { record_type: "Job", record_id: "1", by_user: "1" }, "by_user", "invalid"],
  ["list-changes", { by_user: "1", change_id: crypto.randomUUID() }, "change_id", "invalid"],
  ["list-changes", { record_type: "Job" }, "record_id", "invalid"],
  ["list-changes", { record_id: "1" }, "record_type", "invalid"],
];

useService();
beforeAll(async () => {
  await store([userLine(900)]);
  for (const { operation } of endpoints) {
    const user = allowedUser(operation);
    if (user) await store([callerLine(user)]);
  }
});

describe.each(endpoints)("$name", ({ operation, handler, sample }) => {
  const user = allowedUser(operation);
  const as = user && { as: user };

  test("D33: 414: a query string above 4 KiB is refused, before the token is looked at", async () => {
    const query = { ...sample.query, padding: "x".repeat(4_096) };
    expectProblem(await call(handler, operation, { ...sample, query }), 414, "query_too_long");
  });

  test("D22: a parameter that it does not know is refused, after the token and the role", async () => {
    const query = { ...sample.query, colour: "red" };
    expectProblem(await call(handler, operation, { ...sample, ...as, query }), 422, "unknown_parameter");
    if (operation.access === "anyone") return;
    expectProblem(await call(handler, operation, { ...sample, query }), 401, "token_missing");
    const other = roles.find((role) => operation.access !== "anyone" && !operation.access.includes(role));
    if (other === undefined) return;
    expectProblem(await call(handler, operation, { ...sample, as: userOf(other), query }), 403, "role_not_allowed");
  });

  test("no text in its parameters ends in a 5xx", async () => {
    const text = fc.oneof(anyText(), fc.constantFrom("%", "%zz", "\u0000", "\ud800", "NaN", "-1", "1e999"));
    const record = fc.record(Object.fromEntries(parameterNames(operation).map((name) => [name, text])), {
      requiredKeys: [],
    });
    await fc.assert(
      fc.asyncProperty(record, async (query) => {
        const answer = await call(handler, operation, { ...sample, ...as, query });
        expect(answer.status).toBeLessThan(500);
        if (answer.status !== 200) expectProblem(answer, answer.status, answer.body.code);
      }),
      { numRuns: usualFreshOrFull(2, 20, 60) },
    );
  }, 120_000);

  test("an event without query, headers' usual case or body is answered, not failed", async () => {
    if (user) await store([callerLine(user)]);
    const event = await eventOf(operation, { ...as });
    const headers = Object.fromEntries(
      Object.entries(event.headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const answer = await handler({ ...event, headers, body: null as never }, {} as never);
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.statusCode).not.toBe(401);
  });
});

const entriesOf = (schema: unknown) => Object.keys((schema as { entries?: object } | undefined)?.entries ?? {});
/** Those of confirm-login are the fields of confirm-login-by-body, which stand with those of bodies. */
const taking = endpoints.filter(({ name }) => name !== "confirm-login");
const parameters = taking.flatMap(({ operation }) => [
  ...entriesOf(operation.query).map((name) => ({ operation, name, from: "query" })),
  ...entriesOf(operation.parameters).map((name) => ({ operation, name, from: "parameters" })),
]);

async function expectFault(
  operation: string,
  sent: object,
  fault: { parameter: string; code: FieldCode; detail?: string },
) {
  const endpoint = taking.find(({ name }) => name === operation);
  if (!endpoint) throw new Error(`There is no operation ${operation}`);
  const { handler, operation: entry, sample } = endpoint;
  const request = { as: allowedUser(entry), parameters: sample.parameters, ...sent };
  const answer = await call(handler, entry, request);
  expectProblem(answer, 422, "fields_invalid");
  expect(answer.body.errors, JSON.stringify(sent)).toEqual([expect.objectContaining(fault)]);
}

test.each(parameters)("422: $operation.name names $name", async ({ operation, name, from }) => {
  const refused = faults[`${operation.name} ${name}`] ?? faults[name];
  expect(refused, `Say in this file what the parameter ${name} refuses`).toBeDefined();
  for (const [text, code] of refused ?? []) {
    await expectFault(operation.name, { [from]: { [name]: text } }, { parameter: name, code });
  }
});

test.each(together)("422: %s refuses %j", (operation, query, parameter, code) =>
  expectFault(operation, { query }, { parameter, code }));

test("a fault of a parameter has the name that was sent, and says what would do", () =>
  expectFault(
    "list-invoices",
    { query: { "by_state[]": "paid,Pending" } },
    {
      parameter: "by_state[]",
      code: "not_allowed",
      detail: 'must be one of pending, paid, overdue, not "Pending"',
    },
  ));

test.each([
  ["from_date", " 2026-01-01", 'must be a date, YYYY-MM-DD, not " 2026-01-01"; write a plus sign as %2B'],
  ["to_date", "2026-02-30T10:00:00 01:00", 'must be a date, YYYY-MM-DD, not "2026-02-30T10:00:00+01:00"'],
  ["from_date", "2026-02-30 10:00", 'must be a date, YYYY-MM-DD, not "2026-02-30 10:00"'],
  ["page", " 2", 'must be a whole number from 1 on, such as 1, not " 2"; write a plus sign as %2B'],
  ["by_company", " 1", 'must be an id, a whole number above 0, not " 1"; write a plus sign as %2B'],
])("D31: the fault of %s=%j, whose space may have been a plus sign, says how to write one", (parameter, text, detail) =>
  expectFault("list-invoices", { query: { [parameter]: text } }, { parameter, code: "invalid", detail }));

test.each([
  ["by_state", "x".repeat(41), `not "${"x".repeat(40)}…"`],
  ["by_state", "😀".repeat(41), `not "${"😀".repeat(40)}…"`],
  ["from_date", "x".repeat(40), `not "${"x".repeat(40)}"`],
  ["per_page", "9".repeat(50), `not "${"9".repeat(40)}…"`],
])("D31: the value of %s is repeated up to 40 characters: %j", async (parameter, text, end) => {
  const answer = await listed({ [parameter]: text });
  expect(answer.body.errors).toMatchObject([{ parameter, detail: expect.stringMatching(/^must /) }]);
  expect(answer.body.errors[0].detail.endsWith(`, ${end}`)).toBe(true);
});

test.each(["by_number", "cursor"])("D31: the value of %s is not repeated", async (parameter) => {
  const answer = await listed({ [parameter]: `Ada Holt \u0000${"x".repeat(200)}` });
  expectProblem(answer, 422, "fields_invalid");
  expect(JSON.stringify(answer.body)).not.toContain("Ada");
});

function listed(query: Readonly<Record<string, string>>) {
  return call(listInvoicesHandler, listInvoices, { as: allowedUser(listInvoices), query });
}
