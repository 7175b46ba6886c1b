import {
  type JsonSchema,
  type OverrideActionContext,
  type OverrideSchemaContext,
  toJsonSchema,
  toJsonSchemaDefs,
} from "@valibot/to-json-schema";
import type * as v from "valibot";
import { confirmedUser, profile, user, userAwaitingPin } from "../../shared/contract/accounts.ts";
import { apiKey, createdApiKey } from "../../shared/contract/api-keys.ts";
import { actor, historyEntry } from "../../shared/contract/changes.ts";
import { company } from "../../shared/contract/companies.ts";
import { device, deviceToken, optionalPlatform, platforms } from "../../shared/contract/devices.ts";
import {
  driver,
  invoice,
  invoiceState,
  optionalPasscode,
  timelog,
  timesheet,
  timesheetState,
} from "../../shared/contract/finance.ts";
import { job, timedJob } from "../../shared/contract/jobs.ts";
import { notification } from "../../shared/contract/notifications.ts";
import {
  apiKeyEventData,
  invoiceEventData,
  jobEventData,
  notificationEventData,
  outboundEnvelope,
  passwordEventData,
  timerEventData,
  timesheetEventData,
  undoneEventData,
} from "../../shared/contract/outbound-events.ts";
import { dateFilter, defaultPerPage, idParameter, mostPages, paging, recordId } from "../../shared/contract/query.ts";
import { publicJwk } from "../../shared/contract/service.ts";
import { issuedToken, session } from "../../shared/contract/sessions.ts";
import {
  calendarDate,
  currency,
  decimal,
  id,
  password,
  plain,
  plainLine,
  timestamp,
} from "../../shared/contract/values.ts";
import { textOfShape } from "./texts/texts.ts";
import { type ValueName, valueTexts } from "./texts/values.ts";
import { withText, withTexts } from "./with-texts.ts";

export type { JsonSchema };

type Schema = v.GenericSchema<unknown, unknown>;

const named = {
  Id: id,
  CalendarDate: calendarDate,
  Timestamp: timestamp,
  Decimal: decimal,
  Currency: currency,
  TimesheetState: timesheetState,
  InvoiceState: invoiceState,
  Timesheet: timesheet,
  Driver: driver,
  Timelog: timelog,
  Invoice: invoice,
  Job: job,
  TimedJob: timedJob,
  Company: company,
  Notification: notification,
  User: user,
  Profile: profile,
  UserAwaitingPin: userAwaitingPin,
  ConfirmedUser: confirmedUser,
  IssuedToken: issuedToken,
  DeviceToken: deviceToken,
  Device: device,
  Platform: optionalPlatform,
  Session: session,
  ApiKey: apiKey,
  CreatedApiKey: createdApiKey,
  HistoryEntry: historyEntry,
  Actor: actor,
  PublicKey: publicJwk,
  OutboundEvent: outboundEnvelope,
  TimesheetEvent: timesheetEventData,
  InvoiceEvent: invoiceEventData,
  JobEvent: jobEventData,
  TimerEvent: timerEventData,
  NotificationEvent: notificationEventData,
  PasswordEvent: passwordEventData,
  ApiKeyEvent: apiKeyEventData,
  UndoneEvent: undoneEventData,
  Passcode: optionalPasscode,
  Page: paging.page,
  PerPage: paging.per_page,
  DateFilter: dateFilter,
  IdParameter: idParameter,
  RecordId: recordId,
  Password: password,
};

/** The keyword for known values of a text that may have others: an extension that several generators read. */
export const extensibleEnum = "x-extensible-enum";

/**
 * Plain text without NUL, U+FFFD and the noncharacters of 16 bits. Those above, and halves of surrogate pairs, cannot be stated in a
 * way that all dialects of regular expressions read alike.
 */
const plainPattern = "^[^\\u0000\\uFDD0-\\uFDEF\\uFFFD-\\uFFFF]*$";

/** The same, in one line. */
const linePattern = "^[^\\u0000-\\u001F\\u007F-\\u009F\\u2028-\\u202E\\u2066-\\u2069\\uFDD0-\\uFDEF\\uFFFD-\\uFFFF]*$";

/** Whole numbers that every client reads exactly: no record has others. */
const wholeNumber: JsonSchema = {
  type: "integer",
  format: "int64",
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};
const idInWords: JsonSchema = { ...wholeNumber, minimum: 1 };
const pagesInWords: JsonSchema = { type: "integer", format: "int64", minimum: 1, maximum: mostPages };

/** JSON Schemas for rules that the contract checks in code, which cannot be converted. */
const inWords: Partial<Record<keyof typeof named, JsonSchema>> = {
  CalendarDate: { type: "string", format: "date", maxLength: 10 },
  Timestamp: {
    type: "string",
    format: "date-time",
    maxLength: 24,
    pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
  },
  Page: { ...pagesInWords, default: 1 },
  PerPage: { ...pagesInWords, default: defaultPerPage },
  Platform: { type: ["string", "null"], enum: [...platforms, null] },
  DateFilter: { type: "string", maxLength: 40, pattern: "^(\\d{4}-\\d\\d-\\d\\d([T ].+)?)?$" },
  RecordId: idInWords,
  IdParameter: idInWords,
  Password: { type: "string", format: "password", minLength: 8, maxLength: 128, pattern: plainPattern },
  // A limit holds for the type that it is about.
  Passcode: {
    type: ["integer", "string", "null"],
    format: "int32",
    minimum: 1000,
    maximum: 99_999_999,
    maxLength: 320,
  },
};

const config = {
  target: "draft-2020-12",
  typeMode: "ignore",
  // Transformations and checks in code have no JSON Schema. `inWords` or a description states their rules.
  errorMode: "ignore",
  definitions: named,
  overrideAction: describeAction,
  overrideSchema: describeSchema,
  overrideRef: ({ referenceId }: { referenceId: string }) => `#/components/schemas/${referenceId}`,
} as const;

/** The JSON Schema (2020-12) of a contract schema. Named shapes become references. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, config);
  return rest;
}

/** The named shapes for the document's components, with their texts. */
export function namedSchemas(): Record<string, JsonSchema> {
  const { definitions, ...rest } = config;
  const schemas: Record<string, JsonSchema> = { ...toJsonSchemaDefs(definitions, rest), ...inWords };
  const names = Object.keys(definitions) as (keyof typeof named)[];
  return Object.fromEntries(names.map((name) => [name, describeShape(name, schemas[name] ?? {})]));
}

function describeShape(name: keyof typeof named, schema: JsonSchema): JsonSchema {
  const shape = named[name];
  if (!("entries" in shape)) return withText({ ...schema, description: undefined }, valueTexts[name as ValueName]);
  const text = textOfShape(shape.entries);
  return text ? { description: text.text, ...withTexts(schema, text.fields) } : schema;
}

/** The fields of an object: name, JSON Schema, and whether the field is required. */
export function fieldsOf(schema: Schema | undefined) {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    schema: referenceOr(property),
    required: required.includes(name),
  }));
}

/** A filter that may be empty accepts text or its referenced shape, and absence means empty; lists likewise. */
function referenceOr(property: JsonSchema | boolean): JsonSchema {
  if (typeof property === "boolean") return {};
  if (property.$ref !== undefined) return { $ref: property.$ref };
  const { default: _, maxLength, ...rest } = property;
  return rest.type === "array" || maxLength === undefined ? rest : { ...rest, maxLength };
}

function describeSchema({ valibotSchema, jsonSchema }: OverrideSchemaContext): JsonSchema | undefined {
  if ("entries" in valibotSchema) return describeObject(valibotSchema as ObjectSchema, jsonSchema);
  if (valibotSchema.type === "nullable" || valibotSchema.type === "nullish") return describeNullable(jsonSchema);
  const isChoice = valibotSchema.type === "picklist" || valibotSchema.type === "literal";
  return isChoice ? { type: "string", ...jsonSchema } : undefined;
}

/**
 * "Or null" as a type: generators make a nullable field of it, and of `anyOf` a type of its own. Of an object openapi-generator
 * makes one that is never null, so that stays a choice.
 */
function describeNullable(jsonSchema: JsonSchema): JsonSchema | undefined {
  const [given] = jsonSchema.anyOf ?? [];
  const value = typeof given === "object" ? plainOf(given) : {};
  if (typeof value.type !== "string" || value.type === "object") return undefined;
  return {
    ...value,
    type: [value.type, "null"],
    ...(value.enum && { enum: [...value.enum, null] }),
    default: jsonSchema.default,
  };
}

/** A schema that refers to a named value, without the reference: a type beside it would not widen it. */
function plainOf(schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split("/").at(-1) as keyof typeof named | undefined;
  if (name === undefined) return schema;
  const { definitions: _, ...rest } = config;
  const { $schema: __, ...whole } = inWords[name] ?? toJsonSchema(named[name], rest);
  return whole;
}

type Entries = Readonly<Record<string, unknown>>;

interface ObjectSchema {
  readonly type: string;
  readonly entries: Entries;
}

function describeObject({ type, entries }: ObjectSchema, jsonSchema: JsonSchema): JsonSchema {
  const isOpen = type === "loose_object";
  const whole = {
    ...jsonSchema,
    required: jsonSchema.required ?? [],
    ...(isOpen && { additionalProperties: true }),
  };
  const base = extended.find((name) => addsFieldsTo(named[name].entries, entries));
  return base ? extend(base, whole) : whole;
}

/** The shapes that others add fields to: these refer to them. */
const extended = ["User", "Job"] as const;

function addsFieldsTo(base: Entries, entries: Entries): boolean {
  const fields = Object.entries(base);
  return Object.keys(entries).length > fields.length && fields.every(([name, field]) => entries[name] === field);
}

function extend(base: (typeof extended)[number], { properties = {}, required = [] }: JsonSchema): JsonSchema {
  const isOwn = (name: string) => !(name in named[base].entries);
  const more = Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name)));
  const extension: JsonSchema = { type: "object", required: required.filter(isOwn), properties: more };
  return { allOf: [{ $ref: `#/components/schemas/${base}` }, extension] };
}

interface ActionParts {
  readonly type: string;
  readonly requirement?: unknown;
  readonly message?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

function describeAction({ valibotAction, jsonSchema }: OverrideActionContext): JsonSchema | undefined {
  const { type, requirement, message, metadata } = valibotAction as ActionParts;
  if (type === "safe_integer" || type === "integer") return { ...jsonSchema, ...wholeNumber };
  if (valibotAction === plain) return { ...jsonSchema, pattern: plainPattern };
  if (valibotAction === plainLine) return { ...jsonSchema, pattern: linePattern };
  if (type === "metadata") {
    const { known, ...keywords } = metadata ?? {};
    return { ...jsonSchema, ...keywords, ...(known !== undefined && { [extensibleEnum]: known }) } as JsonSchema;
  }
  if (type !== "regex" || !(requirement instanceof RegExp)) return undefined;
  return {
    ...jsonSchema,
    // Patterns in JSON Schema have no flags.
    pattern: requirement.flags === "" ? requirement.source : undefined,
    ...(typeof message === "string" ? { description: message } : {}),
  };
}
