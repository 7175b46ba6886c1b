import { describe, expect, test } from "vitest";
import { answerHeaderTexts, requestHeaderTexts } from "../../infra/document/texts/headers.ts";
import { codeTexts, statusTexts } from "../../infra/document/texts/refusals.ts";
import { operationTextOf } from "../../infra/document/texts/texts.ts";
import manifest from "../../package.json" with { type: "json" };
import { operations } from "../../shared/contract/operations.ts";
import { internalError, refusalCodes } from "../../shared/contract/refusals.ts";
import { faultsAt, openApi } from "../support/requests/described-answers.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, looked into field by field
type Node = any;

/** A place of the document that has a text: its own, or none where it refers to another place. */
interface Place {
  readonly kind: "operation" | "parameter" | "field" | "header" | "body" | "answer";
  readonly where: string;
  readonly text: string;
  readonly hasExample: boolean;
  readonly examples: readonly unknown[];
  readonly schema?: readonly string[];
}

const json = ["content", "application/json"];

/** Every place of the document that has to have a text; what is referred to counts once, where it stands. */
function placesOf(document: Node): Place[] {
  const { schemas, parameters, headers } = document.components;
  const values = (kind: Place["kind"], part: string, all: Node) =>
    Object.entries<Node>(all).map(([name, each]) => valuePlace(kind, name, ["components", part, name], each));
  return [
    ...Object.entries<Node>(document.paths).flatMap(([path, item]) =>
      Object.entries<Node>(item).flatMap(([method, operation]) => operationPlaces(["paths", path, method], operation)),
    ),
    ...values("parameter", "parameters", parameters),
    ...values("header", "headers", headers),
    ...Object.entries<Node>(schemas).flatMap(([name, schema]) =>
      fieldPlaces(name, ["components", "schemas", name], schema),
    ),
  ];
}

function operationPlaces(
  at: string[],
  { operationId, description, parameters = [], requestBody, responses }: Node,
): Place[] {
  const text = description.replace(/(^|\n\n)(Callers:|No token).*/, "");
  const [body, answer] = [requestBody?.content[json[1] ?? ""], responses["200"].content[json[1] ?? ""]];
  const [bodyAt, answerAt] = [
    [...at, "requestBody", ...json],
    [...at, "responses", "200", ...json],
  ];
  const outer: Node = body && Object.entries(body.schema.properties)[0];
  return [
    { kind: "operation", where: operationId, text, hasExample: true, examples: [] },
    ...parameters.flatMap((each: Node, index: number) =>
      each.$ref
        ? []
        : valuePlace("parameter", `${operationId} ${each.name}`, [...at, "parameters", String(index)], each),
    ),
    ...(body
      ? [
          { ...valuePlace("body", `${operationId} body`, bodyAt, body), text: outer[1].description },
          ...innerPlaces(`${operationId} body`, [...bodyAt, "schema", "properties", outer[0]], outer[1]),
        ]
      : []),
    { ...valuePlace("answer", `${operationId} 200`, answerAt, answer), text: responses["200"].description },
    ...innerPlaces(`${operationId} 200`, [...answerAt, "schema"], answer.schema),
  ];
}

function valuePlace(kind: Place["kind"], where: string, at: string[], { description, example }: Node): Place {
  const examples = example === undefined ? [] : [example];
  return { kind, where, text: description ?? "", hasExample: examples.length > 0, examples, schema: [...at, "schema"] };
}

/** A field, and the fields of its schema where they have no name. */
function fieldPlaces(where: string, schema: string[], node: Node): Place[] {
  const { description: text = "", examples = [] } = node;
  const hasExample = examples.length > 0 || isOfParts(node);
  return [{ kind: "field", where, text, hasExample, examples, schema }, ...innerPlaces(where, schema, node)];
}

function innerPlaces(where: string, at: string[], node: Node): Place[] {
  return Object.entries<Node>(node).flatMap(([key, each]) => {
    if (key === "items") return innerPlaces(where, [...at, key], each);
    if (key === "anyOf" || key === "allOf")
      return each.flatMap((part: Node, index: number) => innerPlaces(where, [...at, key, String(index)], part));
    if (key !== "properties") return [];
    return Object.entries<Node>(each).flatMap(([name, property]) =>
      fieldPlaces(`${where}.${name}`, [...at, key, name], property),
    );
  });
}

/** True where the value is an object or a list of them, whose fields have examples, or an object without known fields. */
function isOfParts({ $ref, type, properties, items, anyOf, allOf }: Node): boolean {
  if ($ref) return true;
  if (items) return isOfParts(items);
  return Boolean(properties || allOf) || type === "object" || (anyOf ?? []).some(isOfParts);
}

const places = placesOf(openApi);
const ofKind = (kind: Place["kind"]) => places.filter((each) => each.kind === kind);

/** Words that say something: without the most common ones, and without endings. */
function wordsOf(text: string): Set<string> {
  const common = /^(a|an|the|of|to|it|its|is|are|and|or|in|on|by|for|with|that|this|as|at|be|one|each|here)$/;
  const words = text.toLowerCase().match(/[a-z0-9_]+/g) ?? [];
  return new Set(words.filter((word) => !common.test(word)).map((word) => word.replace(/(?<=...)(s|ed|ing)$/, "")));
}

const kinds = [
  ["operation", 25],
  ["parameter", 18],
  ["field", 100],
  ["header", 9],
  ["body", 10],
  ["answer", 25],
] as const;

/** Parameters and fields that no request can have beside the others, or that no two requests may share: an example would be refused. */
const notSent = [
  "mark-notifications body.up_to_id",
  "list-changes by_user",
  "list-changes by_company",
  "list-changes change_id",
  "IdParameter",
  "Cursor",
  "IdempotencyKey",
];

test.each(
  kinds,
)("every %s of the document has a text of its own, and an example where it has a value", (kind, least) => {
  const found = ofKind(kind);
  expect(found.length).toBeGreaterThanOrEqual(least);
  const silent = found.filter(({ text }) => wordsOf(text).size < 1);
  const advice =
    "say it in the texts of its area; fields of a shape need its name in `named` of the document's schemas";
  expect(silent.map(({ where }) => `${where} has no text: ${advice}`)).toEqual([]);
  const without = found.filter(({ where, hasExample }) => !hasExample && !notSent.includes(where));
  expect(
    without.map(
      ({ where }) => `${where} has no example: write it beside its text; answers: npm run docs -- --examples`,
    ),
  ).toEqual([]);
});

test("every code of refusals has a sentence and an example, every status a sentence", () => {
  const codes = [...Object.keys(refusalCodes), internalError.code];
  expect(Object.keys(codeTexts).toSorted()).toEqual(codes.toSorted());
  // No operation has it: the document mentions it for the interface as a whole.
  const ofOperations = codes.filter((code) => code !== "method_not_allowed");
  expect(Object.keys(openApi.components.examples).toSorted()).toEqual(ofOperations.toSorted());
  expect(openApi.info.description).toContain("method_not_allowed");
  const described = JSON.stringify(openApi.components.responses);
  const answered = [...operations.flatMap((operation) => operationTextOf(operation) ?? [])];
  expect(answered).toHaveLength(operations.length);
  const statuses = new Set([...Object.values(refusalCodes), internalError].map(({ status }) => status));
  statuses.delete(405);
  expect(Object.keys(statusTexts)).toEqual([...statuses].map(String).toSorted());
  for (const text of Object.values(statusTexts)) expect(described).toContain(text);
});

test("no text says no more than the name", () => {
  const texts = [
    ...places.filter(({ text }) => text !== "").map(({ where, text }) => [where, text] as const),
    ...Object.entries(codeTexts),
    ...Object.entries(statusTexts),
    ...operations.map(({ name, summary }) => [`summary of ${name}`, summary] as const),
  ].map(([where, text]) => ({ where, words: wordsOf(text) }));
  const bare = texts.filter(({ where, words }) => {
    const name = wordsOf(where.split(/[ .]/).at(-1)?.replaceAll("_", " ") ?? "");
    return [...words].every((word) => name.has(word));
  });
  expect(bare.map(({ where }) => where)).toEqual([]);
});

describe("examples", () => {
  const withExamples = places.filter(({ schema, hasExample }) => schema && hasExample);

  test.each(withExamples)("$where fits its schema", ({ schema = [], examples }) => {
    for (const example of examples) expect(faultsAt(schema, example)).toEqual([]);
  });

  test("of problem documents fit theirs", () => {
    for (const [code, { value }] of Object.entries<{ value: object }>(openApi.components.examples)) {
      expect(faultsAt(["components", "schemas", "Problem"], value), code).toEqual([]);
      expect(value).toMatchObject({ code });
    }
  });
});

test("headers and request headers are those that the contract names", () => {
  expect(Object.keys(openApi.components.headers)).toEqual(Object.keys(answerHeaderTexts));
  for (const name of Object.keys(requestHeaderTexts)) expect(openApi.components.parameters).toHaveProperty(name);
});

test("tags, licence, contact, version and servers are there", () => {
  const { info, tags, servers, paths } = openApi;
  expect(info).toMatchObject({ version: manifest.version, license: { name: "MIT" } });
  expect(info.contact).toMatchObject({ name: expect.any(String), email: expect.any(String) });
  expect(servers).toHaveLength(1);
  const used = Object.values<Record<string, { tags: string[] }>>(paths).flatMap((item) => Object.values(item));
  const names = tags.map(({ name }: { name: string }) => name);
  expect(
    [...new Set(used.flatMap((each) => each.tags))].toSorted(),
    "Each area has its text in tagTexts of infra/document/texts/interface.ts, and no other has one",
  ).toEqual(names.toSorted());
});
