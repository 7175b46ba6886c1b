import { everyRole, isByCursor, type Operation } from "../../shared/contract/operation.ts";
import { maxPerPage } from "../../shared/contract/query.ts";
import { pagingReference, parameterReference } from "./components.ts";
import { problemResponses } from "./problems.ts";
import { recordedAnswers } from "./recorded.ts";
import { refusalsOf } from "./refusals-of.ts";
import { fieldsOf, type JsonSchema, jsonSchemaOf } from "./schemas.ts";
import type { AnswerHeader } from "./texts/headers.ts";
import type { FieldText, NestedText } from "./texts/text.ts";
import { operationTextOf } from "./texts/texts.ts";
import { exampleOf, sentenceOf, withText, withTexts } from "./with-texts.ts";

/** The names of the security schemes: an access token of a session, and an API key (D46). */
export const schemes = { bearer: "bearer", apiKey: "apiKey" } as const;

const undescribed: NestedText = { text: "", fields: {} };

/**
 * The document's description of an operation: its structure from its entry, its sentences from the contract's texts.
 */
export function describeOperation(operation: Operation, tag: string): object {
  const { name, summary, access, keys, body } = operation;
  const text = operationTextOf(operation);
  const parameters = parametersOf(operation);
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: [text?.description, callersOf(operation)].filter(Boolean).join("\n\n"),
    // An empty requirement says that the operation is open on purpose.
    security: securityOf(operation),
    ...(access !== "anyone" && { "x-roles": access, "x-key-access": keys }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: bodyOf(body.object, jsonSchemaOf(body.fields), text?.body ?? undescribed) }),
    responses: {
      "200": answerOf(operation, text?.answer ?? undescribed),
      ...problemResponses(refusalsOf(operation)),
    },
  };
}

function securityOf({ access, keys }: Operation): object[] {
  if (access === "anyone") return [{}];
  return [{ [schemes.bearer]: [] }, ...(keys === "closed" ? [] : [{ [schemes.apiKey]: [] }])];
}

function callersOf({ access, companyBound, keys }: Operation): string {
  if (access === "anyone") return "No token is needed.";
  const roles = access.length === everyRole.length ? "every role" : access.map((role) => `\`${role}\``).join(", ");
  const bound = companyBound ? boundRoles.filter((role) => access.includes(role)) : [];
  const who = bound.map((role) => `${role}s`).join(" and ");
  const needs = who && ` ${who.charAt(0).toUpperCase()}${who.slice(1)} need a company.`;
  return `Callers: ${roles}.${needs} API keys: ${keys === "closed" ? "none" : keyWords[keys ?? "read"]}.`;
}

const keyWords = { read: "all", act: "those with the access `act`" } as const;

/** The roles that an operation may bind to a company (D3). */
const boundRoles = ["operator", "client"] as const;

function parametersOf(operation: Operation): object[] {
  const { parameters, query, idempotent } = operation;
  const text = operationTextOf(operation);
  const inPath = fieldsOf(parameters).map((field) => ({
    ...parameterOf({ ...field, required: true }, "path", text?.parameters?.[field.name]),
  }));
  const inQuery = fieldsOf(query).map(
    (field) => pagingReference(field.name) ?? parameterOf(field, "query", text?.query?.[field.name]),
  );
  return [
    ...inPath,
    ...inQuery,
    ...(idempotent ? [parameterReference("IdempotencyKey")] : []),
    ...(text?.takes ?? []).map(parameterReference),
  ];
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function parameterOf({ name, schema, required }: Field, place: string, text: FieldText = [""]): object {
  return {
    name,
    in: place,
    required,
    description: sentenceOf(text),
    schema,
    // Commas separate several values (D22).
    ...(schema.type === "array" && { style: "form", explode: false }),
    ...(exampleOf(text) !== undefined && { example: exampleOf(text) }),
  };
}

function bodyOf(object: string, schema: JsonSchema, text: NestedText): object {
  const example = { [object]: exampleOf(text) };
  return {
    required: true,
    content: { "application/json": { schema: inside(object, withText(schema, text)), example } },
  };
}

function answerOf(operation: Operation, text: NestedText): object {
  const { name, answer, list, idempotent } = operation;
  const item = jsonSchemaOf(answer);
  const schema = list ? inside(list, { type: "array", maxItems: maxPerPage, items: item }) : item;
  const names: AnswerHeader[] = [
    "x-request-id",
    ...(list ? (["per-page", ...(isByCursor(operation) ? [] : (["total"] as const)), "link"] as const) : []),
    ...(operationTextOf(operation)?.answers ?? []),
    ...(idempotent ? (["change-id", "idempotency-replayed"] as const) : []),
  ];
  const example = recordedAnswers[name];
  return {
    description: text.text,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      "application/json": { schema: withTexts(schema, text.fields), ...(example !== undefined && { example }) },
    },
  };
}

function inside(name: string, schema: JsonSchema): JsonSchema {
  return { type: "object", required: [name], properties: { [name]: schema } };
}
