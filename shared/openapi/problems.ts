import { internalError, type ProblemCode, type RefusalCode, refusalCodes } from "../contract/refusal-codes.ts";
import type { JsonSchema } from "./schemas.ts";

const text: JsonSchema = { type: "string" };

/** The shapes of refusals: the problem document (RFC 9457), and API Gateway's own answers. */
export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: {
    type: "object",
    required: ["type", "title", "status", "instance", "code", "request_id"],
    properties: {
      type: { ...text, format: "uri" },
      title: text,
      status: { type: "integer", minimum: 400, maximum: 599 },
      detail: { ...text, description: "Absent when the status is 500 or above." },
      instance: { ...text, description: "The requested path." },
      code: { ...text, description: "Stable and machine-readable." },
      request_id: { ...text, description: "Include it in support requests." },
      errors: { type: "array", items: { $ref: "#/components/schemas/FieldFault" } },
      missing_ids: { type: "array", items: { $ref: "#/components/schemas/Id" } },
    },
  },
  FieldFault: {
    type: "object",
    required: ["code", "detail"],
    properties: {
      pointer: { ...text, description: "JSON Pointer (RFC 6901) into the body." },
      parameter: { ...text, description: "Name of the parameter in the query or path." },
      header: { ...text, description: "Name of the header." },
      code: text,
      detail: text,
    },
  },
  GatewayMessage: { type: "object", properties: { message: text } },
};

/** The headers that refusals carry. */
export const problemHeaders = {
  "retry-after": { description: "Seconds to wait.", schema: { type: "integer", minimum: 0 } },
  "www-authenticate": { description: "RFC 6750.", schema: text },
};

const headersOf: Readonly<Record<number, readonly (keyof typeof problemHeaders)[]>> = {
  401: ["www-authenticate"],
  409: ["retry-after"],
  429: ["retry-after"],
  503: ["retry-after"],
};

/** API Gateway also answers these itself when its throttles or Lambda's concurrency are exhausted. */
const gatewayStatuses = [429, 503];

/** The answers of an operation that refuses with these codes, by status. */
export function problemResponses(codes: readonly RefusalCode[]): Record<string, object> {
  const byStatus = new Map<number, ProblemCode[]>([
    [internalError.status, [internalError.code]],
    ...gatewayStatuses.map((status): [number, ProblemCode[]] => [status, []]),
  ]);
  for (const code of codes) {
    const { status } = refusalCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].toSorted(([one], [other]) => one - other);
  return Object.fromEntries(sorted.map(([status, ofStatus]) => [String(status), responseOf(status, ofStatus)]));
}

function responseOf(status: number, codes: readonly ProblemCode[]): object {
  const names = headersOf[status] ?? [];
  const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  const problem = { allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { code: { enum: [...codes] } } }] };
  const isGateways = gatewayStatuses.includes(status);
  return {
    description: [codes.join(", "), isGateways ? "API Gateway's throttles" : ""].filter(Boolean).join("; or "),
    headers: { "x-request-id": { $ref: "#/components/headers/x-request-id" }, ...headers },
    content: {
      ...(codes.length > 0 && { "application/problem+json": { schema: problem } }),
      ...(isGateways && { "application/json": { schema: { $ref: "#/components/schemas/GatewayMessage" } } }),
    },
  };
}
