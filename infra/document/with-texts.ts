import type { JsonSchema } from "@valibot/to-json-schema";
import type { FieldText, NestedText } from "./texts/text.ts";

type JsonValue = NonNullable<JsonSchema["examples"]>;
type Fields = Readonly<Record<string, FieldText>>;

/** The schema of an object with the texts of its fields, at every depth. */
export function withTexts(schema: JsonSchema, fields: Fields): JsonSchema {
  const { properties, allOf } = schema;
  if (allOf) return { ...schema, allOf: allOf.map((part) => withTexts(part as JsonSchema, fields)) };
  if (!properties) return schema;
  const described = Object.entries(properties).map(([name, property]) => {
    const text = fields[name];
    return [name, text && typeof property === "object" ? withText(property, text) : property];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

/** A schema with its text. The schema's own description, such as the version that added it, follows the text. */
export function withText(schema: JsonSchema, text: FieldText): JsonSchema {
  const [own, example] = isNested(text) ? [text.text] : text;
  const description = [own, ...(schema.default === undefined ? [] : [schema.description])].filter(Boolean).join(" ");
  return {
    ...(isNested(text) ? inObject(schema, text.fields) : schema),
    description,
    ...(example !== undefined && { examples: [example as JsonValue] }),
  };
}

/** The example of a field: its own, or an object of its fields' examples. */
export function exampleOf(text: FieldText): unknown {
  if (!isNested(text)) return text[1];
  const examples = Object.entries(text.fields).map(([name, field]) => [name, exampleOf(field)] as const);
  return Object.fromEntries(examples.filter(([, example]) => example !== undefined));
}

/** The sentence about a field. */
export function sentenceOf(text: FieldText): string {
  return isNested(text) ? text.text : text[0];
}

/** Adds texts to the fields of an object, of an object or null, or of objects in an array. */
function inObject(schema: JsonSchema, fields: Fields): JsonSchema {
  const { items, anyOf } = schema;
  if (typeof items === "object" && !Array.isArray(items)) return { ...schema, items: withTexts(items, fields) };
  if (anyOf) return { ...schema, anyOf: anyOf.map((each) => withTexts(each as JsonSchema, fields)) };
  return withTexts(schema, fields);
}

function isNested(text: FieldText): text is NestedText {
  return "fields" in text;
}
