import * as v from "valibot";
import { type FieldFault, fieldFaults, pointerTo } from "../contract/field-faults.ts";
import type { Operation } from "../contract/operation.ts";
import { type FieldRefusal, Refusal } from "../domain/refusal.ts";
import type { HttpRequest } from "./http-event.ts";
import { readQuery } from "./read-query.ts";

/** Middleware: checks query and body against the contract and keeps only the fields it names (D31). */
export function validate(operation: Operation) {
  return {
    before({ event }: HttpRequest): void {
      event.queryStringParameters = readQuery(operation, event);
      const parameters = check(operation.parameters, event.pathParameters ?? {}, asParameter);
      const query = check(operation.query, event.queryStringParameters, asParameter);
      const outer = operation.body?.object ?? "";
      const body = check(
        operation.body?.fields,
        (event.body as Record<string, unknown> | undefined)?.[outer],
        ({ path, ...fault }) => ({ pointer: pointerTo([outer, ...path]), ...fault }),
      );
      event.input = { parameters, query, body };
    },
  };
}

function asParameter({ path, ...fault }: FieldFault): FieldRefusal {
  return { parameter: path.join("."), ...fault };
}

function check(
  schema: v.GenericSchema | undefined,
  value: unknown,
  locate: (fault: FieldFault) => FieldRefusal,
): unknown {
  if (!schema) return {};
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const errors = fieldFaults(result.issues).map(locate);
  const names = errors.map(({ pointer, parameter }) => pointer ?? parameter);
  throw new Refusal("fields_invalid", `Invalid: ${names.join(", ")}`, { errors });
}
