import { afterEach, expect, test } from "vitest";
import { getProfile } from "../../shared/contract/accounts.ts";
import { listInvoices } from "../../shared/contract/finance.ts";
import { type Operation, takesList } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import type { HttpEvent } from "../../shared/http/event.ts";
import { readQuery } from "../../shared/http/input.ts";
import { resolvedOpenApi } from "../support/requests/described-answers.ts";
import { loggedLines } from "../support/service/capture-logs.ts";

process.env.UNKNOWN_PARAMETERS = "refuse";
afterEach(() => {
  process.env.UNKNOWN_PARAMETERS = "refuse";
});

function read(queryStringParameters: Record<string, string>, operation: Operation = listInvoices) {
  return readQuery(operation, { queryStringParameters } as unknown as HttpEvent).values;
}

function refusalOf(query: Record<string, string>, operation?: Operation): Refusal {
  try {
    read(query, operation);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error("The query was not refused");
}

test.each([
  ["by_sate", "by_state"],
  ["By_State", "by_state"],
  ["state", "by_state"],
  ["perpage", "per_page"],
  ["from_date[]", "from_date"],
  ["by_state[0]", "by_state"],
  ["curser", "cursor"],
  ["pa", "page"],
  ["xxge", "page"],
  ["pagexx", "page"],
])("D22: %j is refused, and the nearest name is %s", (name, nearest) => {
  const { code, message, facts } = refusalOf({ [name]: "1" });
  expect(code).toBe("unknown_parameter");
  expect(facts.errors).toMatchObject([{ parameter: name, code: "unknown" }]);
  expect(facts.errors?.[0]?.detail).toContain(`the nearest one is ${nearest}`);
  expect(message).toContain(nearest);
});

test.each([
  "",
  "\ud800",
  "a\u0000",
  "someone@example.com",
  "two words",
  "y".repeat(3_600),
])("D22: %j is refused without being repeated, as it may be a value", (name) => {
  const { code, message, facts } = refusalOf({ [name]: "1" });
  expect(code).toBe("unknown_parameter");
  expect(facts.errors).toEqual([{ code: "unknown", detail: expect.stringContaining("it takes ") }]);
  expect(message).toMatch(/^Unknown: a name of other characters is not a parameter/);
});

test.each(["offset", "sort", "q", "constructor"])("D22: %j is near to no name, so all of them are listed", (name) => {
  expect(refusalOf({ [name]: "1" }).message).toMatch(/is not a parameter of this operation; it takes \w+(, \w+)+$/);
});

test("D22: an operation without parameters says that it takes none", () => {
  expect(refusalOf({ page: "1" }, getProfile).message).toContain("the operation takes none");
});

test("D22: all that are unknown are named, up to 20, and none of their values", () => {
  const { facts, message } = refusalOf({ page: "1", colour: "hidden", size: "hidden" });
  expect(facts.errors?.map(({ parameter }) => parameter)).toEqual(["colour", "size"]);
  expect(JSON.stringify([facts, message])).not.toContain("hidden");
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, ""]));
  expect(refusalOf(many).facts.errors).toHaveLength(20);
});

test("D22: names that begin with _ are left out", () => {
  expect(read({ _: "1747130000000", _session: "x", __proto__x: "y", page: "2" })).toEqual({ page: "2" });
});

test("D22: name[] is name where a list is taken, and refused beside it", () => {
  expect(read({ "by_state[]": "paid,pending" })).toEqual({ by_state: "paid,pending" });
  const { code, facts } = refusalOf({ "by_state[]": "paid", by_state: "" });
  expect(code).toBe("fields_invalid");
  expect(facts.errors).toEqual([
    { parameter: "by_state[]", code: "invalid", detail: "must not be sent together with by_state" },
  ]);
});

test("D22: name[] is taken exactly where the document describes a list", () => {
  for (const operation of operations) {
    const { parameters = [] } = resolvedOpenApi.paths[operation.path][operation.method.toLowerCase()];
    const inQuery = parameters.filter((each: { in: string }) => each.in === "query");
    for (const { name, schema } of inQuery) {
      expect(takesList(operation, name), `${operation.name} ${name}`).toBe(schema.type === "array");
    }
  }
  expect(takesList(listInvoices, "by_state")).toBe(true);
});

test("D22: a stage that warns goes on, and logs what may have been meant, no name of the client", () => {
  process.env.UNKNOWN_PARAMETERS = "warn";
  expect(read({ by_stat: "red", "someone@example.com": "x", page: "2" })).toMatchObject({ page: "2" });
  const warned = { level: "warn", message: "unknown parameters", code: "unknown_parameter" };
  expect(loggedLines.map((line) => JSON.parse(line))).toMatchObject([
    { ...warned, nearest: ["by_state", expect.any(String)], count: 2 },
  ]);
  expect(loggedLines.join()).not.toMatch(/example\.com|"by_stat"/);
});
