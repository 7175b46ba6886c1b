// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, looked into field by field
type Node = any;

/** A place of the document that has a text: its own, or none where it refers to another place. */
export interface Place {
  readonly kind: "operation" | "parameter" | "field" | "header" | "body" | "answer";
  readonly where: string;
  readonly text: string;
  readonly hasExample: boolean;
  readonly examples: readonly unknown[];
  readonly schema?: readonly string[];
}

const json = ["content", "application/json"];

/** Every place of the document that has to have a text; what is referred to counts once, where it stands. */
export function placesOf(document: Node): Place[] {
  const { schemas, parameters, headers } = document.components;
  const values = (kind: Place["kind"], part: string, all: Node) =>
    Object.entries<Node>(all).map(([name, each]) => valuePlace(kind, name, ["components", part, name], each));
  return [
    ...Object.entries<Node>(document.paths).flatMap(([path, item]) =>
      Object.entries<Node>(item).flatMap(([method, operation]) => operationPlaces(["paths", path, method], operation)),
    ),
    ...values("parameter", "parameters", parameters),
    ...values("header", "headers", headers),
    ...Object.entries<Node>(schemas).flatMap(([name, schema]) =>
      fieldPlaces(name, ["components", "schemas", name], schema),
    ),
  ];
}

function operationPlaces(
  at: string[],
  { operationId, description, parameters = [], requestBody, responses }: Node,
): Place[] {
  const text = description.replace(/(^|\n\n)(Callers:|No token).*/, "");
  const [body, answer] = [requestBody?.content[json[1] ?? ""], responses["200"].content[json[1] ?? ""]];
  const [bodyAt, answerAt] = [
    [...at, "requestBody", ...json],
    [...at, "responses", "200", ...json],
  ];
  const outer: Node = body && Object.entries(body.schema.properties)[0];
  return [
    { kind: "operation", where: operationId, text, hasExample: true, examples: [] },
    ...parameters.flatMap((each: Node, index: number) =>
      each.$ref
        ? []
        : valuePlace("parameter", `${operationId} ${each.name}`, [...at, "parameters", String(index)], each),
    ),
    ...(body
      ? [
          { ...valuePlace("body", `${operationId} body`, bodyAt, body), text: outer[1].description },
          ...innerPlaces(`${operationId} body`, [...bodyAt, "schema", "properties", outer[0]], outer[1]),
        ]
      : []),
    { ...valuePlace("answer", `${operationId} 200`, answerAt, answer), text: responses["200"].description },
    ...innerPlaces(`${operationId} 200`, [...answerAt, "schema"], answer.schema),
  ];
}

function valuePlace(kind: Place["kind"], where: string, at: string[], { description, example }: Node): Place {
  const examples = example === undefined ? [] : [example];
  return { kind, where, text: description ?? "", hasExample: examples.length > 0, examples, schema: [...at, "schema"] };
}

/** A field, and the fields of its schema where they have no name. */
function fieldPlaces(where: string, schema: string[], node: Node): Place[] {
  const { description: text = "", examples = [] } = node;
  const hasExample = examples.length > 0 || isOfParts(node);
  return [{ kind: "field", where, text, hasExample, examples, schema }, ...innerPlaces(where, schema, node)];
}

function innerPlaces(where: string, at: string[], node: Node): Place[] {
  return Object.entries<Node>(node).flatMap(([key, each]) => {
    if (key === "items") return innerPlaces(where, [...at, key], each);
    if (key === "anyOf" || key === "allOf")
      return each.flatMap((part: Node, index: number) => innerPlaces(where, [...at, key, String(index)], part));
    if (key !== "properties") return [];
    return Object.entries<Node>(each).flatMap(([name, property]) =>
      fieldPlaces(`${where}.${name}`, [...at, key, name], property),
    );
  });
}

/** True where the value is an object or a list of them, whose fields have examples, or an object without known fields. */
function isOfParts({ $ref, type, properties, items, anyOf, allOf }: Node): boolean {
  if ($ref) return true;
  if (items) return isOfParts(items);
  return Boolean(properties || allOf) || type === "object" || (anyOf ?? []).some(isOfParts);
}
