import * as v from "valibot";

type Schema = v.GenericSchema<unknown, unknown>;

const newFields = new WeakSet<Schema>();

/** A field that a release added. Lines and events may lack it, and answers then show `older` (D38). */
export function since<const S extends Schema, const D extends v.Default<S, undefined> & v.InferInput<S>>(
  release: string,
  schema: S,
  older: D,
) {
  const description = `Since ${release}; ${JSON.stringify(older)} where the record is older.`;
  const field = v.pipe(v.optional(schema, older), v.description(description));
  newFields.add(field);
  return field;
}

/** True for a field made by `since`. */
export function isNewField(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && newFields.has(schema as Schema);
}
