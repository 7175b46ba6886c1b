import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type { Operation } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";

/** The parts of an answer that the document describes. */
interface GivenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly code?: string } | null;
}

interface Described {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly "x-codes"?: readonly string[];
}

interface DescribedOperation {
  readonly responses: Readonly<Record<string, Described>>;
}

/** The headers of every answer; HTTP itself says what they mean. */
const generalHeaders = ["cache-control", "content-type", "referrer-policy", "x-content-type-options"];

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into by paths of any operation
type Document = any;

const own = Symbol.for("workforce.test.document");
const kept = globalThis as { [own]?: { openApi: Document; resolvedOpenApi: Document; ajv: Ajv2020 } };

// To make the document takes 30 ms: the first file of a worker does it for all.
kept[own] ??= await describeOnce();
const { ajv } = kept[own];

/** The OpenAPI document, as clients get it. */
export const openApi: Document = kept[own].openApi;

/** The document with its reusable parameters and answers where they are used; references to schemas stay. */
export const resolvedOpenApi: Document = kept[own].resolvedOpenApi;

/** Why a value does not fit the schema at that place in the OpenAPI document; an empty list where it fits. */
export function faultsAt(place: readonly string[], value: unknown): string[] {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
  const $ref = `openapi#/${pointer.join("/")}`;
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
  return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** Asserts that an answer is one that the OpenAPI document describes: status, headers, media type, body and code. */
export function expectDescribed(operation: Operation, { status, headers, body }: GivenAnswer): void {
  if (!operations.includes(operation)) return;
  const { name, path } = operation;
  const method = operation.method.toLowerCase();
  const { responses } = resolvedOpenApi.paths[path][method] as DescribedOperation;
  const described = responses[status];
  expect(described, `${name} answers ${status}, ${body?.code}`).toBeDefined();
  const [mediaType = ""] = String(headers["content-type"]).split(";");
  const known = [...generalHeaders, ...Object.keys(described?.headers ?? {})];
  expect(Object.keys(headers).filter((header) => !known.includes(header))).toEqual([]);
  for (const name of Object.keys(described?.headers ?? {})) expectDescribedHeader(name, headers[name]);
  if (described?.content === undefined) {
    expect(body).toBeNull();
    return;
  }
  if (body?.code === "busy") expect(headers["retry-after"], name).toBe("1");
  if (mediaType === "application/problem+json") expect(described?.["x-codes"], name).toContain(body?.code);
  const place = ["paths", path, method, "responses", String(status), "content", mediaType, "schema"];
  expect(described.content[mediaType], `${name} answers ${mediaType}`).toBeDefined();
  expect(faultsAt(place, body), `${name} ${status} ${body?.code}`).toEqual([]);
}

function expectDescribedHeader(name: string, value: string | undefined): void {
  if (value === undefined) return;
  const { type } = openApi.components.headers[name].schema;
  const read = type === "integer" ? Number(value) : value;
  expect(faultsAt(["components", "headers", name, "schema"], read), `${name}: ${value}`).toEqual([]);
}

async function describeOnce() {
  const { describeInterface } = await import("../../../infra/document/document.ts");
  const openApi: Document = JSON.parse(JSON.stringify(describeInterface()));
  const resolvedOpenApi = resolveOperations(openApi);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  return { openApi, resolvedOpenApi, ajv: ajv.addSchema(resolvedOpenApi, "openapi") };
}

function resolveOperations(document: Document): Document {
  const resolve = (each: { readonly $ref?: string }) => {
    const [, , kind = "", name = ""] = each.$ref?.split("/") ?? [];
    return document.components[kind]?.[name] ?? each;
  };
  const resolved = structuredClone(document);
  const operations = Object.values<Record<string, Document>>(resolved.paths).flatMap((item) => Object.values(item));
  for (const operation of operations) {
    operation.parameters &&= operation.parameters.map(resolve);
    for (const [status, answer] of Object.entries<object>(operation.responses)) {
      operation.responses[status] = resolve(answer);
    }
  }
  return resolved;
}
