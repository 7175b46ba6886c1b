import { describe, expect, test } from "vitest";
import { pinDigits } from "../../shared/contract/accounts.ts";
import { roles } from "../../shared/contract/operation.ts";
import { operations } from "../../shared/contract/operations.ts";
import { notifyingRecordTypes } from "../../shared/notifications/kinds.ts";
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
  const advice = "Who is notified of what is a decision (D25): a new kind has its row here too";
  expect(description.split("\n\n")[1].split("\n"), advice).toEqual([
    "| record_type | type | who is notified | push | mail and SMS |",
    "| --- | --- | --- | --- | --- |",
    "| `Job` | `published` | operators of its company | yes | no |",
    "| `Timesheet` | `submitted` | operators of its company, the first 50 by id | no | no |",
    "| `Timesheet` | `paid` | its driver | yes | no |",
    "| `Timesheet` | `pending` | its driver | yes | no |",
    "| `Invoice` | `issued` | operators and clients of its company | yes | no |",
    "| `Invoice` | `overdue` | operators and clients of its company | yes | no |",
    "| `Invoice` | `paid` | operators and clients of its company | yes | no |",
    "| `User` | `api_key_created` | the user | yes | yes |",
    "| `User` | `password_changed` | the user | yes | yes |",
    "| `Chat` | `message` | the users that the event names | yes | no |",
  ]);
});

test('ids and counts are read into 64 bits, and "or null" is a type of everything but objects', () => {
  const faults = schemasAt(openApi, "").flatMap(([where, { type, format, anyOf }]) => {
    const isSmall = /(Problem.*status|Passcode|per-page.*|retry-after.*)$/.test(where);
    const isWrongInteger = [type].flat().includes("integer") && format !== (isSmall ? "int32" : "int64");
    const nullable =
      anyOf?.some((each) => each.type === "null") && anyOf.some((each) => each.type !== "null" && !each.$ref);
    return isWrongInteger || nullable ? [where] : [];
  });
  expect(faults).toEqual([]);
  expect(openApi.components.schemas.User.properties.email.type).toEqual(["string", "null"]);
});

test("D13, D45: users have the interface's fields, their language in the own profile alone, and nothing is deprecated", () => {
  const { schemas } = openApi.components;
  const namesOf = ({ $ref, properties = {}, allOf = [] }: Shape): string[] => [
    ...Object.keys(properties),
    ...[...allOf, ...($ref ? [schemas[$ref.split("/").at(-1) ?? ""]] : [])].flatMap(namesOf),
  ];
  const names = (name: string) => namesOf(schemas[name]).toSorted();
  const contact = ["company", "contact_phone_number", "email", "financial_company_id", "first_name", "id"];
  const fields = [...contact, "job_position", "last_name", "phone_number", "profile_id", "role"];
  expect(names("User")).toEqual(fields);
  expect(names("UserAwaitingPin")).toEqual([...fields, "pin_valid_to"].toSorted());
  expect(names("ConfirmedUser")).toEqual([...fields, "reset_password_token"].toSorted());
  expect(names("Profile")).toEqual([...fields, "locale"].toSorted());
  expect(JSON.stringify(openApi)).not.toContain('"deprecated"');
});

test.each([
  ["adjust-job-timers", "Callers: `admin`. API keys: those with the access `act`."],
  ["list-invoices", "Callers: `admin`, `operator`, `client`. Operators and clients need a company. API keys: all."],
  ["list-notifications", "Callers: every role. API keys: all."],
  ["list-sessions", "Callers: every role. API keys: none."],
  ["get-health", "No token is needed."],
])("D3: the text of %s ends with its callers, with those of them who need a company, and with the API keys", (name, callers) => {
  const operation = operations.find((each) => each.name === name);
  expect(operation && describedAs(operation).description.split("\n\n").at(-1)).toBe(callers);
});

test("the document describes every operation of the contract and nothing else", () => {
  const described = Object.entries<Record<string, { operationId: string }>>(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  expect(described.toSorted()).toEqual(
    operations.map(({ method, path, name }) => `${method} ${path} ${name}`).toSorted(),
  );
});

describe.each(operations)("$name", (operation) => {
  const { parameters = [], security, summary, responses } = describedAs(operation);
  const codesOf = (status: number): readonly string[] => responses[status]?.["x-codes"] ?? [];
  const entry = `refusals in the contract entry of ${operation.name}`;

  test("asks for a bearer token or an API key exactly where the contract does, and says what for", () => {
    const isOpen = operation.access === "anyone";
    const byKey = operation.keys === "closed" ? [] : [{ apiKey: [] }];
    expect(security).toEqual(isOpen ? [{}] : [{ bearer: [] }, ...byKey]);
    expect(summary).toBe(operation.summary);
    const refusesTokens = !isOpen || ["sign-in", "refresh-token"].includes(operation.name);
    expect(responses["401"] !== undefined, `${entry}: whether one is of status 401`).toBe(refusesTokens);
  });

  test("refuses a role exactly where it leaves one out", () => {
    const leavesOut = operation.access !== "anyone" && roles.some((role) => !operation.access.includes(role));
    expect(codesOf(403).includes("role_not_allowed")).toBe(leavesOut);
  });

  test("may be refused by throttles (429), by a fault (500), and by being busy (503)", () => {
    for (const status of ["429", "503"]) expect(responses[status].content["application/json"]).toBeDefined();
    expect(responses["500"].content["application/problem+json"]).toBeDefined();
    expect(codesOf(503), `${entry}: add "busy"`).toContain("busy");
  });

  test("names the refusals of a cursor and of a page's number where it takes them", () => {
    const names = parameters.map(({ name }: Parameter) => name);
    for (const [name, code] of [
      ["cursor", "cursor_invalid"],
      ["page", "page_too_deep"],
    ] as const)
      expect(codesOf(422).includes(code), `${entry}: "${code}", exactly where it takes ${name}`).toBe(
        names.includes(name),
      );
  });

  test("says that it repeats where it takes a key", () => {
    const names = parameters.map(({ name }: Parameter) => name);
    const { headers } = responses["200"];
    expect("idempotency-replayed" in headers, `idempotent in the contract entry of ${operation.name}`).toBe(
      names.includes("Idempotency-Key"),
    );
  });
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
    expect(body !== undefined, `a body in events/${operation.name}.json, exactly if the contract has one`).toBe(
      requestBody !== undefined,
    );
    const where = ["paths", operation.path, operation.method.toLowerCase(), "requestBody", "content"];
    if (requestBody) expect(faultsAt([...where, "application/json", "schema"], filled(body))).toEqual([]);
  });
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly anyOf?: readonly { readonly type?: string; readonly $ref?: string }[];
}

interface Shape {
  readonly $ref?: string;
  readonly properties?: object;
  readonly allOf?: readonly Shape[];
}

/** Every object of the document, with its place. */
function schemasAt(node: unknown, where: string): (readonly [where: string, schema: Schema])[] {
  if (typeof node !== "object" || node === null) return [];
  const inside = Object.entries(node).flatMap(([name, each]) => schemasAt(each, `${where}/${name}`));
  return [[where, node as Schema], ...inside];
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
