import type { JsonSchema } from "@valibot/to-json-schema";
import {
  internalError,
  maxFaults,
  type ProblemCode,
  type RefusalCode,
  refusalCodes,
} from "../../shared/contract/refusals.ts";
import { mostBulkIds } from "../../shared/contract/values.ts";
import { recordedProblems } from "./recorded.ts";
import {
  codeTexts,
  fieldFaultText,
  fieldFaultTexts,
  gatewayMessageText,
  gatewayMessageTexts,
  gatewayText,
  problemCodeText,
  problemText,
  problemTexts,
  statusTexts,
} from "./texts/refusals.ts";
import type { FieldText } from "./texts/text.ts";
import { withText, withTexts } from "./with-texts.ts";

/** Text of one line, up to so many characters: names, and sentences whose values are quoted as JSON. */
const line = (maxLength: number): JsonSchema => ({ type: "string", maxLength, pattern: "^[^\\u0000-\\u001F]*$" });
const schemaOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The schemas of refusals: the problem document (RFC 9457), and API Gateway's own answers. */
export const problemSchemas: Readonly<Record<string, JsonSchema>> = {
  Problem: described(problemText, problemTexts, {
    type: "object",
    required: ["type", "title", "status", "instance", "code", "request_id"],
    properties: {
      type: { type: "string", maxLength: 100, format: "uri" },
      title: line(100),
      status: { type: "integer", format: "int32", minimum: 400, maximum: 599 },
      detail: line(4096),
      // API Gateway reads at most 10 KB of a request's first line and headers.
      instance: { type: "string", maxLength: 10_240, pattern: "^/" },
      code: schemaOf("ProblemCode"),
      request_id: line(200),
      errors: { type: "array", maxItems: maxFaults, items: schemaOf("FieldFault") },
      changed_ids: { type: "array", maxItems: mostBulkIds, items: schemaOf("Id") },
      missing_ids: { type: "array", maxItems: mostBulkIds, items: schemaOf("Id") },
    },
  }),
  // One type for all statuses, so that generated clients stay small. `x-codes` of a response lists its codes.
  ProblemCode: withText({ type: "string", enum: [...Object.keys(refusalCodes), internalError.code] }, problemCodeText),
  FieldFault: described(fieldFaultText, fieldFaultTexts, {
    type: "object",
    required: ["code", "detail"],
    properties: {
      pointer: line(200),
      parameter: line(200),
      header: line(200),
      code: line(40),
      detail: line(1000),
    },
  }),
  GatewayMessage: described(gatewayMessageText, gatewayMessageTexts, {
    type: "object",
    properties: { message: line(1000) },
  }),
};

function described(description: string, fields: Readonly<Record<string, FieldText>>, schema: JsonSchema): JsonSchema {
  return { description, ...withTexts(schema, fields) };
}

const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ["www-authenticate"],
  409: ["retry-after"],
  429: ["retry-after"],
  503: ["retry-after"],
};

/** Statuses that API Gateway also answers by itself, if its throttles or Lambda's concurrency are exhausted. */
const gatewayStatuses = [429, 503];

/** Codes that always occur together, by the name of their response in the document. */
const families: Readonly<Record<string, readonly ProblemCode[]>> = {
  BadRequest: ["malformed_json", "body_object_missing"],
  Unauthorized: ["token_missing", "token_invalid", "token_expired"],
  Forbidden: ["role_not_allowed", "company_required"],
  PageInvalid: ["cursor_invalid", "page_too_deep"],
};

/** The names of statuses without a code of the service. */
const bareNames: Readonly<Record<number, string>> = { 429: "Throttled", 503: "Unavailable" };

interface ProblemResponse {
  readonly name: string;
  readonly status: number;
  readonly codes: readonly ProblemCode[];
}

/** The answers by status of an operation that refuses with these codes, as references to components. */
export function problemResponses(codes: readonly RefusalCode[]): Record<string, object> {
  const found = responsesOf(codes).map(({ name, status }) => [
    String(status),
    { $ref: `#/components/responses/${name}` },
  ]);
  return Object.fromEntries(found);
}

/** The reusable answers of operations that refuse with these codes, by name. */
export function problemComponents(operations: readonly (readonly RefusalCode[])[]): Record<string, object> {
  const all = operations.flatMap(responsesOf).toSorted((one, other) => one.status - other.status);
  return Object.fromEntries(all.map((each) => [each.name, responseOf(each)]));
}

/** An example of each code that these operations refuse with, as recorded from the service. */
export function problemExamples(operations: readonly (readonly RefusalCode[])[]): Record<string, object> {
  const used = new Set(operations.flatMap(responsesOf).flatMap(({ codes }) => codes));
  const entries = (Object.entries(recordedProblems) as [ProblemCode, unknown][]).filter(([code]) => used.has(code));
  return Object.fromEntries(entries.map(([code, value]) => [code, { summary: titleOf(code), value }]));
}

function titleOf(code: ProblemCode): string {
  return code === internalError.code ? internalError.title : refusalCodes[code].title;
}

function responsesOf(codes: readonly RefusalCode[]): ProblemResponse[] {
  const byStatus = new Map<number, ProblemCode[]>([
    [internalError.status, [internalError.code]],
    ...gatewayStatuses.map((status): [number, ProblemCode[]] => [status, []]),
  ]);
  for (const code of codes) {
    const { status } = refusalCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].toSorted(([one], [other]) => one - other);
  return sorted.map(([status, named]) => ({ name: nameOf(status, named), status, codes: named }));
}

/** The name depends only on the codes, so that it stays when operations are added or removed. */
function nameOf(status: number, codes: readonly ProblemCode[]): string {
  const whole = Object.entries(families).filter(([, family]) => family.every((code) => codes.includes(code)));
  const rest = codes.filter((code) => !whole.some(([, family]) => family.includes(code)));
  const names = [...whole.map(([name]) => name), ...rest.map(pascal)];
  return names.join("Or") || (bareNames[status] ?? String(status));
}

function pascal(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function responseOf({ status, codes }: ProblemResponse): object {
  const isGateways = gatewayStatuses.includes(status);
  const names = ["x-request-id", ...(headersOf[status] ?? [])];
  const lines = [
    `${statusTexts[status]}\n`,
    ...codes.map((code) => `- \`${code}\`: ${codeTexts[code]}`),
    ...(isGateways ? [`- ${gatewayText}`] : []),
  ];
  return {
    description: lines.join("\n"),
    ...(codes.length > 0 && { "x-codes": codes }),
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      ...(codes.length > 0 && { "application/problem+json": problemContent(codes) }),
      ...(isGateways && {
        "application/json": {
          schema: schemaOf("GatewayMessage"),
          example: { message: gatewayMessageTexts.message[1] },
        },
      }),
    },
  };
}

function problemContent(codes: readonly ProblemCode[]): object {
  const known = codes.filter((code) => code in recordedProblems);
  return {
    schema: schemaOf("Problem"),
    examples: Object.fromEntries(known.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  };
}
