import { extensibleEnum, type JsonSchema } from "../../document/schemas.ts";

type Schema = JsonSchema | boolean | undefined;

/** A JSON Schema (2020-12) as a TypeScript type, with the texts of its fields as comments. */
export function typeScriptOf(schema: Schema, indent = ""): string {
  if (typeof schema !== "object") return "unknown";
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "unknown";
  const { const: only, enum: choices, anyOf, allOf, type } = schema;
  if (only !== undefined) return JSON.stringify(only);
  const known = (schema as { readonly [extensibleEnum]?: readonly string[] })[extensibleEnum];
  const options =
    choices?.map((choice) => JSON.stringify(choice)) ??
    // The type of further values keeps editors from folding the known ones into it.
    (known && [...known.map((choice) => JSON.stringify(choice)), "(string & {})"]) ??
    anyOf?.map((option) => typeScriptOf(option, indent));
  if (options) return options.join(" | ");
  if (allOf) return allOf.map((part) => typeScriptOf(part, indent)).join(" & ");
  if (Array.isArray(type)) return type.map((each) => typeScriptOf({ ...schema, type: each }, indent)).join(" | ");
  if (type === "array") return `readonly ${inBrackets(typeScriptOf(schema.items as Schema, indent))}[]`;
  if (type === "object") return objectType(schema, indent);
  return type === "integer" ? "number" : (type ?? "unknown");
}

/** The texts of a schema as a comment on lines of its own; empty if it has none. */
export function commentOf(schema: Schema, indent: string): string {
  if (typeof schema !== "object") return "";
  const { description, format, default: absent } = schema;
  const example = Array.isArray(schema.examples) ? schema.examples[0] : (schema as { example?: unknown }).example;
  const lines = [
    ...(description?.split("\n") ?? []),
    ...(format ? [`@format ${format}`] : []),
    ...(absent === undefined ? [] : [`@default ${JSON.stringify(absent)}`]),
    ...(example === undefined ? [] : [`@example ${JSON.stringify(example)}`]),
  ].map((line) => line.replaceAll("*/", "*\\/").trimEnd());
  if (lines.length < 2) return lines.map((line) => `${indent}/** ${line} */\n`).join("");
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, property]) => {
    const mark = required.includes(name) ? "" : "?";
    const absent = mark ? " | undefined" : "";
    return `${commentOf(property, inner)}${inner}readonly ${name}${mark}: ${typeScriptOf(property, inner)}${absent};`;
  });
  if (additionalProperties === true) fields.push(`${inner}readonly [key: string]: unknown;`);
  return fields.length === 0 ? "Readonly<Record<string, unknown>>" : `{\n${fields.join("\n")}\n${indent}}`;
}

function inBrackets(type: string): string {
  return type.includes(" | ") || type.includes(" & ") ? `(${type})` : type;
}
