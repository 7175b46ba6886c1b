import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeInterface } from "../../shared/openapi/document.ts";
import { breakingChanges } from "./breaking-changes.ts";

/** Breaking changes since the baseline that are made on purpose, each with its reason. */
const accepted: readonly (readonly [change: RegExp, reason: string])[] = [];

const file = new URL("baseline.json", import.meta.url);
const today = JSON.parse(JSON.stringify(describeInterface()));
if (process.env.PIN_BASELINE) writeFileSync(file, `${JSON.stringify(today, withoutTexts, 1)}\n`);
const baseline = JSON.parse(readFileSync(file, "utf8"));
const found = breakingChanges(baseline, today);

/** Clients do not rely on texts and examples. A field may have such a name, too: then its value is a schema. */
function withoutTexts(name: string, value: unknown): unknown {
  const isText = /^(description|summary)$/.test(name) && typeof value === "string";
  return isText || name === "examples" ? undefined : value;
}

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
      Note: { type: "string", maxLength: 9 },
      Shift: {
        type: "object",
        required: ["id", "tags"],
        properties: {
          id: { type: "integer" },
          note: { anyOf: [{ $ref: "#/components/schemas/Note" }, { type: "null" }] },
          tags: { type: "array", items: { type: "string" } },
          state: { enum: ["open", "done"] },
          end: { anyOf: [{ type: "string" }, { type: "null" }] },
        },
      },
    },
  },
};

function changesAfter(change: (document: Document, operation: Document) => void): string[] {
  const next: Document = structuredClone(base);
  change(next, next.paths["/shifts"].put);
  return breakingChanges(base, next).map((each) => each.replace("PUT /shifts ", ""));
}

type Change = (schemas: Document, operation: Document) => void;

const breaking: readonly (readonly [string, Change])[] = [
  ["has another operationId", (_, put) => (put.operationId = "set-shift")],
  ["wants a token", (_, put) => (put.security = [{ bearer: [] }])],
  ["parameter by is removed", (_, put) => put.parameters.pop()],
  ["parameter by becomes required", (_, put) => (put.parameters[0].required = true)],
  ["parameter by is written otherwise", (_, put) => (put.parameters[0].explode = true)],
  ["parameter by is limited by another maxLength", (_, put) => (put.parameters[0].schema.maxLength = 8)],
  ["parameter by is limited by another pattern", (_, put) => (put.parameters[0].schema.pattern = "^a")],
  ["parameter to is new and required", (_, put) => put.parameters.push({ name: "to", in: "query", required: true })],
  ["takes no body any more", (_, put) => delete put.requestBody],
  ["body.note is removed", ({ Sent }) => delete Sent.properties.note],
  ["body.note becomes required", ({ Sent }) => Sent.required.push("note")],
  ['body.id refuses "integer"', ({ Sent }) => (Sent.properties.id.type = "string")],
  ["body.id is limited by another format", ({ Sent }) => (Sent.properties.id.format = "int32")],
  ["parameter by is limited by another format", (_, put) => (put.parameters[0].schema.format = "int64")],
  [
    '200.note may be {"maxLength":9,"type":"number"}',
    ({ Shift }) => (Shift.properties.note = { maxLength: 9, type: ["number", "null"] }),
  ],
  ['200.tags[] may be {"type":"null"}', ({ Shift }) => (Shift.properties.tags.items.type = ["string", "null"])],
  ['body.state refuses "done"', ({ Sent }) => Sent.properties.state.enum.pop()],
  ["200 is removed", (_, put) => delete put.responses["200"]],
  ["200 loses the header total", (_, put) => delete put.responses["200"].headers.total],
  ["200 is no application/json any more", (_, put) => delete put.responses["200"].content["application/json"]],
  ["200.state is removed", ({ Shift }) => delete Shift.properties.state],
  ["200.id becomes optional", ({ Shift }) => Shift.required.shift()],
  ['200.state may be "lost"', ({ Shift }) => Shift.properties.state.enum.push("lost")],
  ['200.tags[] may be "number"', ({ Shift }) => (Shift.properties.tags.items.type = "number")],
  ['200.end may be {"type":"boolean"}', ({ Shift }) => Shift.properties.end.anyOf.push({ type: "boolean" })],
  ["422.code is removed", (_, put) => delete put.responses["422"].content["application/json"].schema.properties.code],
];

const additive: readonly (readonly [string, Change])[] = [
  ["an optional parameter", (_, put) => put.parameters.push({ name: "to", in: "query", required: false })],
  ["an optional field of a body", ({ Sent }) => (Sent.properties.more = { type: "string" })],
  ["a field of an answer", ({ Shift }) => (Shift.properties.more = { type: "string" })],
  ["a value that may be sent", ({ Sent }) => Sent.properties.state.enum.push("late")],
  ["a wider limit", (_, put) => (put.parameters[0].schema.maxLength = 10)],
  ["null that may be sent", ({ Sent }) => (Sent.properties.note = { anyOf: [{ type: "string" }, { type: "null" }] })],
  ["the same null as a type", ({ Shift }) => (Shift.properties.end = { type: ["string", "null"] })],
  [
    "null and what is referred to as a type",
    ({ Shift }) => (Shift.properties.note = { type: ["string", "null"], maxLength: 9 }),
  ],
  ["null that may be sent as a type", ({ Sent }) => (Sent.properties.note = { type: ["string", "null"] })],
  ["the size of an integer that its limits fit", ({ Sent }) => (Sent.properties.id.format = "int64")],
  ["a field no longer null", ({ Shift }) => (Shift.properties.end = { type: "string" })],
  [
    "a code of refusals",
    (_, put) => put.responses["422"].content["application/json"].schema.properties.code.enum.push("b"),
  ],
  ["a status of refusals", (_, put) => (put.responses["409"] = {})],
];

describe("the comparison", () => {
  test.each(breaking)("finds: %s", (line, change) => {
    expect(changesAfter((document, put) => void change(document.components.schemas, put))).toEqual([line]);
  });

  test.each(additive)("takes as additive: %s", (_, change) => {
    expect(changesAfter((document, put) => void change(document.components.schemas, put))).toEqual([]);
  });

  test("looks behind references to parameters and answers", () => {
    const referred = (document: Document, put: Document) => {
      document.components.parameters = { By: put.parameters[0] };
      document.components.responses = { Done: put.responses["200"] };
      put.parameters = [{ $ref: "#/components/parameters/By" }];
      put.responses["200"] = { $ref: "#/components/responses/Done" };
    };
    expect(changesAfter(referred)).toEqual([]);
    const changed = changesAfter((document, put) => {
      referred(document, put);
      document.components.parameters.By.required = true;
      document.components.responses.Done.headers = {};
    });
    expect(changed).toEqual(["parameter by becomes required", "200 loses the header total"]);
  });

  test("takes the parts of allOf as one schema", () => {
    const split = ({ components }: Document) => {
      const { id, ...properties } = components.schemas.Shift.properties;
      components.schemas.Numbered = { type: "object", required: ["id"], properties: { id } };
      const rest = { type: "object", required: ["tags"], properties };
      components.schemas.Shift = { allOf: [{ $ref: "#/components/schemas/Numbered" }, rest] };
    };
    expect(changesAfter(split)).toEqual([]);
    const changed = changesAfter((document) => {
      split(document);
      delete document.components.schemas.Numbered.properties.id;
      document.components.schemas.Shift.allOf[1].required = [];
    });
    expect(changed).toEqual(["200.id is removed", "200.tags becomes optional"]);
  });

  test("finds an operation that is removed, and passes one that is new", () => {
    expect(breakingChanges(base, { paths: {} })).toEqual(["PUT /shifts is removed"]);
    expect(breakingChanges({ paths: {} }, base)).toEqual([]);
  });
});
