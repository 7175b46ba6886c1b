import * as v from "valibot";
import type { Operation } from "../contract/operation.ts";
import { type FieldFault, type FieldRefusal, fieldFaults, pointerTo, Refusal } from "../contract/refusals.ts";
import type { HttpRequest } from "./http-event.ts";
import { readQuery } from "./read-query.ts";

/** Middleware: checks query and body against the contract and keeps only the fields it names (D31). */
export function validate(operation: Operation) {
  return {
    before({ event }: HttpRequest): void {
      const { values, sentAs } = readQuery(operation, event);
      event.queryStringParameters = values;
      const parameters = check(operation.parameters, event.pathParameters ?? {}, asParameter);
      const query = check(operation.query, values, ({ path: [name = ""], code, detail }) => ({
        parameter: sentAs.get(name) ?? name,
        code,
        detail: explainSpace(detail),
      }));
      const outer = operation.body?.object ?? "";
      const body = check(operation.body?.fields, event.sent, ({ path, ...fault }) => ({
        pointer: pointerTo([outer, ...path]),
        ...fault,
      }));
      event.input = { parameters, query, body };
    },
  };
}

function asParameter({ path: [name = ""], ...fault }: FieldFault): FieldRefusal {
  return { parameter: name, ...fault };
}

/** In a query string an unescaped plus sign arrives as a space, so the value that is shown may not be what was written. */
function explainSpace(detail: string): string {
  return detail.includes('not " ') ? `${detail}; write a plus sign as %2B` : detail;
}

function check(
  schema: v.GenericSchema | undefined,
  value: unknown,
  locate: (fault: FieldFault) => FieldRefusal,
): unknown {
  if (!schema) return {};
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const errors = fieldFaults(result.issues).map((fault, at) => locate(withValue(fault, result.issues[at]?.input)));
  const names = errors.map(({ pointer, parameter }) => pointer ?? parameter);
  throw new Refusal("fields_invalid", `Invalid: ${names.join(", ")}`, { errors });
}

/** The fields whose values an answer may repeat. Any other value may be a secret, or a person's. */
const shownFields = [
  "id",
  "change_id",
  "record_id",
  "by_company",
  "by_user",
  "timesheet_ids",
  "job_ids",
  "notification_ids",
  "from_date",
  "to_date",
  "state",
  "by_state",
  "page",
  "per_page",
];

/** Longer than any id, date or state. */
const mostShown = 40;

function withValue(fault: FieldFault, value: unknown): FieldFault {
  const name = fault.path.findLast((part) => !/^\d+$/.test(part)) ?? "";
  if (!shownFields.includes(name) || !["string", "number"].includes(typeof value)) return fault;
  // JSON's parser has rounded it: the caller wrote another one.
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) return fault;
  const text = [...String(value).toWellFormed()];
  const shown = text.length > mostShown ? `${text.slice(0, mostShown).join("")}…` : text.join("");
  return { ...fault, detail: `${fault.detail}, not ${typeof value === "number" ? value : JSON.stringify(shown)}` };
}
