// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, looked into field by field
type Node = any;

/** A list of parameters with the components that they refer to. */
export function listed(document: Node, parameters: Node[] = []): Node[] {
  return parameters.map((each) => resolve(document, each));
}

/** A schema with what its reference and the parts of its `allOf` say, as one: what holds of all parts holds of it. */
export function whole(document: Node, schema: Node): Node {
  if (!schema) return schema;
  const { $ref, allOf = [], ...own } = schema;
  const parts: Node[] = [...($ref ? [resolve(document, schema)] : []), ...allOf].map((each) => whole(document, each));
  return withChoices(parts.length === 0 ? own : [...parts, own].reduce((one, other) => merge(document, one, other)));
}

/** A list of types is a choice between them. */
function withChoices({ type, ...schema }: Node): Node {
  if (!Array.isArray(type)) return type === undefined ? schema : { ...schema, type };
  const values = schema.enum?.filter((value: unknown) => value !== null);
  const choices = type.map((each) =>
    each === "null" ? { type: each } : { ...schema, ...(values && { enum: values }), type: each },
  );
  return { anyOf: choices };
}

function merge(document: Node, one: Node, other: Node): Node {
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])];
  return {
    ...one,
    ...other,
    ...((one.properties || other.properties) && { properties: mergeProperties(document, one, other) }),
    ...(required.length > 0 && { required }),
  };
}

function mergeProperties(document: Node, { properties: one = {} }: Node, { properties: other = {} }: Node): Node {
  const both = Object.keys(other).filter((name) => name in one);
  const merged = both.map((name) => [name, whole(document, { allOf: [one[name], other[name]] })]);
  return { ...one, ...other, ...Object.fromEntries(merged) };
}

/** The node that a reference leads to; the node itself where it is no reference. */
export function resolve(document: Node, schema: Node): Node {
  if (!schema?.$ref) return schema;
  const found = schema.$ref
    .slice("#/".length)
    .split("/")
    .reduce((at: Node, part: string) => at?.[part], document);
  return resolve(document, found);
}
