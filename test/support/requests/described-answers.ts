import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type { Operation } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { describeInterface } from "../../../shared/openapi/document.ts";

/** What of an answer the document describes. */
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

/** What every answer carries; HTTP itself says what they mean. */
const generalHeaders = ["cache-control", "content-type", "referrer-policy", "x-content-type-options"];

/** What every answer of a deprecated operation may carry; the document has them with its 200. */
const ofDeprecation = ["deprecation", "sunset"];

const own = Symbol.for("workforce.test.validators");
const kept = globalThis as { [own]?: { readonly document: string; readonly validators: Ajv2020 } };

/** The OpenAPI document, as clients get it. */
export const openApi = JSON.parse(JSON.stringify(describeInterface()));

/** The document with its reusable parameters and answers where they are used; references to schemas stay. */
export const resolvedOpenApi = resolveOperations(openApi);

const ajv = validatorsOf(JSON.stringify(resolvedOpenApi));

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
  const known = [
    ...generalHeaders,
    ...(operation.deprecation ? ofDeprecation : []),
    ...Object.keys(described?.headers ?? {}),
  ];
  expect(Object.keys(headers).filter((header) => !known.includes(header))).toEqual([]);
  if (described?.content === undefined) {
    expect(body).toBeNull();
    return;
  }
  if (mediaType === "application/problem+json") expect(described?.["x-codes"], name).toContain(body?.code);
  const place = ["paths", path, method, "responses", String(status), "content", mediaType, "schema"];
  expect(described.content[mediaType], `${name} answers ${mediaType}`).toBeDefined();
  expect(faultsAt(place, body), `${name} ${status} ${body?.code}`).toEqual([]);
}

/** The validators of a document, which are compiled once for all files of a worker. */
function validatorsOf(document: string): Ajv2020 {
  if (kept[own]?.document !== document) {
    const validators = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    kept[own] = { document, validators: validators.addSchema(JSON.parse(document), "openapi") };
  }
  return kept[own].validators;
}

function resolveOperations(document: typeof openApi): typeof openApi {
  const found = ({ $ref }: { $ref?: string }) => {
    const [, , kind = "", name = ""] = $ref?.split("/") ?? [];
    return document.components[kind]?.[name];
  };
  const resolved = structuredClone(document);
  for (const operation of Object.values<Record<string, object>>(resolved.paths).flatMap((item) =>
    Object.values(item),
  )) {
    const { parameters = [], responses } = operation as { parameters?: object[]; responses: Record<string, object> };
    Object.assign(
      parameters,
      parameters.map((each) => found(each) ?? each),
    );
    for (const [status, response] of Object.entries(responses)) responses[status] = found(response) ?? response;
  }
  return resolved;
}
