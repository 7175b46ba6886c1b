import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeInterface } from "../../infra/document/document.ts";
import { breakingChanges, comparedParts } from "./breaking-changes.ts";

/** Breaking changes since the baseline that are made on purpose, each with its reason. */
const accepted: readonly (readonly [change: RegExp, reason: string])[] = [];

const file = new URL("baseline.json", import.meta.url);
const today = comparedParts(JSON.parse(JSON.stringify(describeInterface())));
if (process.env.PIN_BASELINE) writeFileSync(file, `${JSON.stringify(today, null, 1)}\n`);
const baseline = JSON.parse(readFileSync(file, "utf8"));
const found = breakingChanges(baseline, today);

test("a client of the baseline is served: the interface loses and narrows nothing", () => {
  const unexpected = found.filter((each) => !accepted.some(([change]) => change.test(each)));
  expect(unexpected, "infra/UPGRADE.md says what a release may change").toEqual([]);
});

test("no accepted change is left over", () => {
  const leftOver = accepted.filter(([change]) => !found.some((each) => change.test(each)));
  expect(leftOver).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, changed in one place
type Document = any;

const base = {
  webhooks: {},
  paths: {
    "/shifts": {
      put: {
        operationId: "put-shift",
        security: [{}],
        parameters: [{ name: "by", in: "query", required: false, schema: { type: "string", maxLength: 9 } }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Sent" } } },
        },
        responses: {
          "200": {
            headers: { total: {} },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Shift" } } },
          },
          "422": { content: { "application/json": { schema: { properties: { code: { enum: ["a"] } } } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Sent: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          state: { enum: ["open", "done"] },
          note: { type: "string" },
        },
      },
      Shift: {
        type: "object",
        required: ["id", "tags"],
        properties: {
          id: { type: "integer" },
          tags: { type: "array", items: { type: "string" } },
          state: { enum: ["open", "done"] },
          end: { anyOf: [{ type: "string" }, { type: "null" }] },
        },
      },
    },
  },
};

type Change = (schemas: Document, operation: Document) => void;

/** The differences after a change, without the place of the operation. */
function changesAfter(change: Change): string[] {
  const next: Document = structuredClone(base);
  change(next.components.schemas, next.paths["/shifts"].put);
  return breakingChanges(base, next).map((each) => each.replace("paths /shifts put ", ""));
}

const sent = "requestBody content application/json schema";
const received = "responses 200 content application/json schema";

test.each<[string, Change]>([
  ["operationId", (_, put) => (put.operationId = "set-shift")],
  ["security 0 bearer", (_, put) => (put.security = [{ bearer: [] }])],
  ["parameters by", (_, put) => put.parameters.pop()],
  ["parameters by required", (_, put) => (put.parameters[0].required = true)],
  ["parameters by schema maxLength", (_, put) => (put.parameters[0].schema.maxLength = 8)],
  ["parameters by schema pattern", (_, put) => (put.parameters[0].schema.pattern = "^a")],
  ["parameters to", (_, put) => put.parameters.push({ name: "to", in: "query", required: true })],
  ["requestBody", (_, put) => delete put.requestBody],
  [`${sent} properties note`, ({ Sent }) => delete Sent.properties.note],
  [`${sent} required`, ({ Sent }) => Sent.required.push("note")],
  [`${sent} properties state enum`, ({ Sent }) => Sent.properties.state.enum.pop()],
  [`${sent} properties note enum`, ({ Sent }) => (Sent.properties.note.enum = ["a"])],
  ["responses 200", (_, put) => delete put.responses["200"]],
  ["responses 200 headers total", (_, put) => delete put.responses["200"].headers.total],
  [`${received} properties state`, ({ Shift }) => delete Shift.properties.state],
  [`${received} required`, ({ Shift }) => Shift.required.shift()],
  [`${received} properties state enum`, ({ Shift }) => Shift.properties.state.enum.push("lost")],
  [`${received} properties state enum`, ({ Shift }) => delete Shift.properties.state.enum],
  [`${received} properties end anyOf 2`, ({ Shift }) => Shift.properties.end.anyOf.push({ type: "boolean" })],
  [
    "responses 422 content application/json schema properties code",
    (_, put) => delete put.responses["422"].content["application/json"].schema.properties.code,
  ],
])("a difference is found: %s", (place, change) => {
  expect(changesAfter(change)).toEqual([place]);
});

test.each<[string, Change]>([
  ["an optional parameter", (_, put) => put.parameters.push({ name: "to", in: "query", required: false })],
  ["an optional field of a body", ({ Sent }) => (Sent.properties.pattern = { type: "string" })],
  ["a field of an answer, which is always there", ({ Shift }) => Shift.required.push("type")],
  ["a field with the name of a keyword", ({ Shift }) => (Shift.properties.type = { type: "string" })],
  ["a value that may be sent", ({ Sent }) => Sent.properties.state.enum.push("late")],
  [
    "a code of refusals",
    (_, put) => put.responses["422"].content["application/json"].schema.properties.code.enum.push("b"),
  ],
  ["a status of refusals", (_, put) => (put.responses["409"] = {})],
  ["a status of refusals less", (_, put) => delete put.responses["422"]],
])("what is added breaks nobody: %s", (_, change) => {
  expect(changesAfter(change)).toEqual([]);
});

test("operations and webhooks may be added, and not removed; webhooks are received", () => {
  const schema = { type: "object", properties: { id: { enum: ["a"] } } };
  const older = { ...base, webhooks: { made: { post: { requestBody: { content: { json: { schema } } } } } } };
  const newer = structuredClone(older);
  newer.webhooks.made.post.requestBody.content.json.schema.properties.id.enum.push("b");
  expect(breakingChanges(older, newer)).toEqual([
    "webhooks made post requestBody content json schema properties id enum",
  ]);
  expect(breakingChanges(older, { paths: {}, webhooks: {} })).toEqual(["paths /shifts", "webhooks made"]);
  expect(breakingChanges({ paths: {}, webhooks: {} }, older)).toEqual([]);
});
