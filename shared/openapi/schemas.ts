import {
  type JsonSchema,
  type OverrideActionContext,
  type OverrideSchemaContext,
  toJsonSchema,
  toJsonSchemaDefs,
} from "@valibot/to-json-schema";
import type * as v from "valibot";
import { user } from "../contract/accounts.ts";
import { driver, invoice, timelog, timesheet } from "../contract/finance.ts";
import { job } from "../contract/jobs.ts";
import { notification } from "../contract/notifications.ts";
import { dateFilter, defaultPerPage, idParameter, maxPerPage, paging, recordId } from "../contract/query.ts";
import { isNewField } from "../contract/since.ts";
import { calendarDate, currency, decimal, id, password, timestamp } from "../contract/values.ts";

export type { JsonSchema };

type Schema = v.GenericSchema<unknown, unknown>;

const named = {
  Id: id,
  CalendarDate: calendarDate,
  Timestamp: timestamp,
  Decimal: decimal,
  Currency: currency,
  Timesheet: timesheet,
  Driver: driver,
  Timelog: timelog,
  Invoice: invoice,
  Job: job,
  Notification: notification,
  User: user,
  Page: paging.page,
  PerPage: paging.per_page,
  DateFilter: dateFilter,
  IdParameter: idParameter,
  RecordId: recordId,
  Password: password,
};

/** What the schemas say in code, which JSON Schema cannot run. */
const inWords: Partial<Record<keyof typeof named, JsonSchema>> = {
  CalendarDate: { type: "string", format: "date", examples: ["2026-05-01"] },
  Timestamp: {
    type: "string",
    format: "date-time",
    pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
    examples: ["2026-05-01T08:30:00.000Z"],
  },
  Page: { type: "integer", minimum: 1, default: 1, description: "Invalid values are ignored and the default is used." },
  PerPage: {
    type: "integer",
    minimum: 1,
    maximum: maxPerPage,
    default: defaultPerPage,
    description: "Invalid values are ignored and the default is used; a value above the maximum counts as the maximum.",
  },
  DateFilter: {
    type: "string",
    maxLength: 40,
    description: "A date, YYYY-MM-DD, or a timestamp whose date part counts.",
    examples: ["2026-05-01"],
  },
  RecordId: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  IdParameter: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  Password: { type: "string", format: "password", minLength: 8, maxLength: 128 },
};

const config = {
  target: "draft-2020-12",
  typeMode: "ignore",
  // Transformations and checks in code have no JSON Schema; what they promise is in `inWords` or in a description.
  errorMode: "ignore",
  definitions: named,
  overrideAction: describeAction,
  overrideSchema: describeSchema,
  overrideRef: ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`,
} as const;

/** The JSON Schema (2020-12) of a schema of the contract; shapes that have a name are references to it. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, config);
  return rest;
}

/** The shapes that have a name, for the document's components. */
export function namedSchemas(): Record<string, JsonSchema> {
  const { definitions, ...rest } = config;
  return { ...toJsonSchemaDefs(definitions, rest), ...inWords };
}

/** The fields of an object, as the contract declares them: name, JSON Schema, and whether it must be there. */
export function fieldsOf(schema: Schema | undefined) {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: referenceOr(property),
    required: required.includes(name),
  }));
}

/** A filter that may be empty is text before it is what it refers to, and empty where it is absent. */
function referenceOr(property: JsonSchema | boolean): JsonSchema {
  if (typeof property === "boolean") return {};
  if (property.$ref !== undefined) return { $ref: property.$ref };
  const { default: _, ...rest } = property;
  return rest;
}

function describeSchema({ valibotSchema, jsonSchema }: OverrideSchemaContext): JsonSchema | undefined {
  if ("entries" in valibotSchema) return requireNewFields(valibotSchema.entries as Entries, jsonSchema);
  const isChoice = valibotSchema.type === "picklist" || valibotSchema.type === "literal";
  return isChoice ? { type: "string", ...jsonSchema } : undefined;
}

type Entries = Readonly<Record<string, unknown>>;

/** Answers always have the fields that are newer than their record (D38). */
function requireNewFields(entries: Entries, jsonSchema: JsonSchema): JsonSchema | undefined {
  const { required = [] } = jsonSchema;
  const isRequired = (name: string) => required.includes(name) || isNewField(entries[name]);
  return { ...jsonSchema, required: Object.keys(entries).filter(isRequired) };
}

function describeAction({ valibotAction, jsonSchema }: OverrideActionContext): JsonSchema | undefined {
  const { type, requirement, message } = valibotAction as { type: string; requirement?: unknown; message?: unknown };
  if (type === "safe_integer") return { ...jsonSchema, type: "integer", maximum: Number.MAX_SAFE_INTEGER };
  if (type !== "regex" || !(requirement instanceof RegExp)) return undefined;
  return {
    ...jsonSchema,
    // JSON Schema's patterns have no flags.
    pattern: requirement.flags === "" ? requirement.source : undefined,
    ...(typeof message === "string" ? { description: message } : {}),
  };
}
