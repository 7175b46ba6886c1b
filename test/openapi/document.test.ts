import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import type { FunctionRow } from "../../infra/functions/function-row.ts";
import { functions } from "../../infra/functions/functions.ts";
import { pinDigits } from "../../shared/contract/accounts.ts";
import { type OperationName, operations } from "../../shared/contract/operations.ts";
import { notifyingRecordTypes } from "../../shared/domain/records/notification-kinds.ts";
import { faultsAt, openApi, resolvedOpenApi } from "../support/requests/described-answers.ts";
import { endpoints } from "../support/requests/every-operation.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}

function describedAs({ method, path }: { method: string; path: string }) {
  return resolvedOpenApi.paths[path][method.toLowerCase()];
}

test("D45: the kinds of notifications and their types of record are listed as values that others join", () => {
  const { params, record_type } = openApi.components.schemas.Notification.properties;
  const kinds = Object.values(notifyingRecordTypes).flatMap((each) => Object.keys(each.kinds));
  const listed = params.properties.type["x-extensible-enum"];
  expect(listed).toEqual([...new Set(kinds)].toSorted());
  expect(record_type["x-extensible-enum"]).toEqual(Object.keys(notifyingRecordTypes).toSorted());
  expect(params.properties.type.enum ?? record_type.enum).toBeUndefined();
  expect(params.required).toEqual(["type", "text"]);
});

test("D25: the group of notifications has a table of who is notified of what, and by which channels", () => {
  const { description } = openApi.tags.find(({ name }: { name: string }) => name === "notifications");
  expect(description.split("\n\n")[1].split("\n")).toEqual([
    "| record_type | type | who is notified | push | mail and SMS |",
    "| --- | --- | --- | --- | --- |",
    "| `Job` | `published` | operators of its company | yes | no |",
    "| `Timesheet` | `submitted` | operators of its company, the first 50 by id | no | no |",
    "| `Timesheet` | `paid` | its driver | yes | no |",
    "| `Timesheet` | `pending` | its driver | yes | no |",
    "| `Invoice` | `issued` | operators and clients of its company | yes | no |",
    "| `Invoice` | `overdue` | operators and clients of its company | yes | no |",
    "| `Invoice` | `paid` | operators and clients of its company | yes | no |",
    "| `User` | `password_changed` | the user | yes | yes |",
    "| `Chat` | `message` | the users that the event names | yes | no |",
  ]);
});

test("the document is valid OpenAPI 3.1", () => {
  // The OpenAPI Initiative's own schema, unchanged.
  const schema = JSON.parse(readFileSync(new URL("openapi-3.1.json", import.meta.url), "utf8"));
  const formats = { email: /^[^@\s]+@[^@\s]+$/, "uri-reference": isUriReference, "media-range": true } as const;
  const ajv = new Ajv2020({ strict: false, formats });
  const isValid = ajv.validate(schema, openApi);
  expect({ isValid, errors: ajv.errors }).toEqual({ isValid: true, errors: null });
  expect(openApi.openapi).toMatch(/^3\.1\./);
});

test("every reference of the document leads somewhere", () => {
  const references = [...JSON.stringify(openApi).matchAll(/"\$ref":(?:"#\/([^"]+)")?/g)].map(([, place = ""]) => place);
  const leadsNowhere = (place: string) => place.split("/").reduce((at, part) => at?.[part], openApi) === undefined;
  expect(references.length).toBeGreaterThan(100);
  expect(references.filter(leadsNowhere)).toEqual([]);
});

test("the document describes every operation of the contract and nothing else", () => {
  const described = Object.entries<Record<string, { operationId: string }>>(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  expect(described.toSorted()).toEqual(
    operations.map(({ method, path, name }) => `${method} ${path} ${name}`).toSorted(),
  );
});

test.each(
  operations,
)("$name asks for a bearer token exactly where the contract does, and says what for", (operation) => {
  const { security, summary, responses } = describedAs(operation);
  const isOpen = operation.access === "anyone";
  expect(security).toEqual([isOpen ? {} : { bearer: [] }]);
  expect(summary).toBe(operation.summary);
  expect(responses["401"] !== undefined).toBe(!isOpen || ["sign-in", "refresh-token"].includes(operation.name));
});

test.each(
  operations,
)("$name may be refused by throttles (429), by being busy (503) and by a fault (500)", (operation) => {
  const { responses } = describedAs(operation);
  for (const status of ["429", "503"]) expect(responses[status].content["application/json"]).toBeDefined();
  expect(responses["500"].content["application/problem+json"]).toBeDefined();
});

test.each(operations)("$name names the refusal busy where it reads in batches or writes", (operation) => {
  const { table = [] }: FunctionRow = functions[operation.name as OperationName];
  const mayBeBusy = table.some((action) => !["GetItem", "Query"].includes(action));
  const { responses } = describedAs(operation);
  const codes: readonly string[] = responses["503"]["x-codes"] ?? [];
  expect(codes.includes("frozen")).toBe(!operation.answersFrozen);
  expect(codes.includes("busy")).toBe(mayBeBusy || operation.method !== "GET");
});

describe.each(endpoints)("the sample event of $name", ({ operation, sample: { parameters: inPath, query, body } }) => {
  const { parameters = [], requestBody } = describedAs(operation);

  test("names only parameters that the document has, in a form that it allows", () => {
    const sent = { query: filled(query ?? {}), path: inPath ?? {} };
    for (const [place, values] of Object.entries(sent)) {
      for (const [name, value] of Object.entries(values)) {
        const at = parameters.findIndex((parameter: Parameter) => parameter.name === name && parameter.in === place);
        expect(at, name).toBeGreaterThanOrEqual(0);
        const where = ["paths", operation.path, operation.method.toLowerCase(), "parameters", String(at), "schema"];
        expect(faultsAt(where, read(String(value), parameters[at])), name).toEqual([]);
      }
    }
  });

  test("has a body where the document wants one, in the form that it wants", () => {
    expect(body !== undefined).toBe(requestBody !== undefined);
    const where = ["paths", operation.path, operation.method.toLowerCase(), "requestBody", "content"];
    if (requestBody) expect(faultsAt([...where, "application/json", "schema"], filled(body))).toEqual([]);
  });
});

/** The characters of RFC 3986 alone, in an order that makes an address. */
function isUriReference(text: string): boolean {
  return /^(?:[!#$&-;=?-[\]_a-z~]|%[0-9a-f]{2})*$/i.test(text) && URL.canParse(text, "https://workforce.example/");
}

/** A sample with a pin in the place that `invoke` fills. */
function filled<T>(sample: T): T {
  return JSON.parse(JSON.stringify(sample).replaceAll("{{pin}}", "0".repeat(pinDigits)));
}

/** A parameter's text as the client meant it, by the type that the document gives it. */
function read(value: string, { schema }: Parameter): unknown {
  const reference = (schema as { $ref?: string }).$ref?.split("/").at(-1);
  const { type } = reference ? openApi.components.schemas[reference] : schema;
  if (type === "array") return value.split(",");
  return type === "integer" ? Number(value) : value;
}
