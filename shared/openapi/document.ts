import type { Answer, Operation } from "../contract/operation.ts";
import { operations } from "../contract/operations.ts";
import type { getOpenapi } from "../contract/service.ts";
import { problemHeaders, problemResponses, problemSchemas } from "./problems.ts";
import { refusalsOf } from "./refusals.ts";
import { fieldsOf, type JsonSchema, jsonSchemaOf, namedSchemas } from "./schemas.ts";

/** The finished document as JSON, which the bundler puts in its place; unknown where the source itself runs. */
declare const OPENAPI_DOCUMENT: string;

const bearer = "bearer";

/** Headers of answers, by name. */
const headers = {
  "x-request-id": { description: "The id of the request. Include it in support requests.", schema: { type: "string" } },
  "per-page": { description: "Items per page.", schema: { type: "integer", minimum: 1 } },
  total: { description: "Number of matching items on all pages.", schema: { type: "integer", minimum: 0 } },
  "total-as-of": {
    description:
      "The moment up to which all changes are counted in `total` and searchable by date and number; a later change may be " +
      "missing there. Absent while it is not known. No part of an ETag.",
    schema: { type: "string", format: "date-time" },
  },
  link: {
    description: "Links to the first, prev, next and last page (RFC 8288); absent on a single page.",
    schema: { type: "string" },
  },
  authorization: { description: "`Bearer` and the access token.", schema: { type: "string" } },
  "idempotency-replayed": {
    description: "Present when this is the stored first answer to the key.",
    schema: { const: "true" },
  },
  ...problemHeaders,
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "A request that is repeated with the same key within 24 hours gets the first answer again.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const knownClient = {
  name: "Known-Client",
  in: "header",
  required: false,
  description:
    "Proves an earlier session of the login: the last refresh token of one, expired or not, or a device token of its user. " +
    "What strangers fail at this login then does not count against the client.",
  schema: { type: "string", minLength: 1, maxLength: 4096 },
};

/** The OpenAPI 3.1 document of these operations: all that the contract says of them, and nothing that it does not. */
export function describeInterface(described: readonly Operation[] = operations) {
  const paths: Record<string, Record<string, object>> = {};
  for (const each of described) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: describe(each) };
  }
  return {
    openapi: "3.1.1",
    info: { title: "Workforce API", version: "1", description: "Workforce finance, jobs and notifications." },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: { ...namedSchemas(), ...problemSchemas },
      headers,
      securitySchemes: { [bearer]: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
    },
  };
}

/** The document of the whole service. In a bundle it is ready: what it is made with stays outside. */
export function openApiDocument(): Answer<typeof getOpenapi> {
  return typeof OPENAPI_DOCUMENT === "undefined" ? describeInterface() : JSON.parse(OPENAPI_DOCUMENT);
}

function describe(operation: Operation): object {
  const { name, path, summary, access, body } = operation;
  const [, area = "service"] = /^\/api\/v1\/(finance|jobs|users)\b/.exec(path) ?? [];
  const parameters = parametersOf(operation);
  return {
    operationId: name,
    tags: [area],
    summary,
    description: access === "anyone" ? "Anyone may call it." : `Requires one of the roles: ${access.join(", ")}.`,
    ...(access !== "anyone" && { security: [{ [bearer]: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: jsonOf(inside(body.object, jsonSchemaOf(body.fields))) } }),
    responses: { "200": answerOf(operation), ...problemResponses(refusalsOf(operation)) },
  };
}

function parametersOf({ parameters, query, idempotent, takesClientProof }: Operation): object[] {
  const inPath = fieldsOf(parameters).map((field) => ({ ...field, in: "path", required: true }));
  const inQuery = fieldsOf(query).map((field) => ({
    ...field,
    in: "query",
    // Several values are written with commas between them (D22).
    ...(field.schema.type === "array" && { style: "form", explode: false }),
  }));
  return [...inPath, ...inQuery, ...(idempotent ? [idempotencyKey] : []), ...(takesClientProof ? [knownClient] : [])];
}

function answerOf({ answer, list, hasTotalAsOf, answersBearer, idempotent }: Operation): object {
  const schema = jsonSchemaOf(answer);
  const names: (keyof typeof headers)[] = [
    "x-request-id",
    ...(list ? (["per-page", "total", "link"] as const) : []),
    ...(hasTotalAsOf ? (["total-as-of"] as const) : []),
    ...(answersBearer ? (["authorization"] as const) : []),
    ...(idempotent ? (["idempotency-replayed"] as const) : []),
  ];
  return {
    description: "Success.",
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: jsonOf(list ? inside(list, { type: "array", items: schema }) : schema),
  };
}

function inside(name: string, schema: JsonSchema): JsonSchema {
  return { type: "object", required: [name], properties: { [name]: schema } };
}

function jsonOf(schema: JsonSchema): object {
  return { "application/json": { schema } };
}
