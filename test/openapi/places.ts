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

/** Every place of the document that has to have a text; what is referred to counts once, where it stands. */
export function placesOf(document: Node): Place[] {
  const operations = Object.entries<Node>(document.paths).flatMap(([path, item]) =>
    Object.entries<Node>(item).flatMap(([method, operation]) => operationPlaces(["paths", path, method], operation)),
  );
  const { schemas, parameters, headers } = document.components;
  return [
    ...operations,
    ...Object.entries<Node>(parameters).map(([name, each]) =>
      valuePlace("parameter", name, ["components", "parameters", name], each),
    ),
    ...Object.entries<Node>(headers).map(([name, each]) =>
      valuePlace("header", name, ["components", "headers", name], each),
    ),
    ...Object.entries<Node>(schemas).flatMap(([name, schema]) => {
      const at = ["components", "schemas", name];
      return [fieldPlace(name, at, schema), ...fieldPlaces(name, at, schema)];
    }),
  ];
}

function operationPlaces(at: string[], operation: Node): Place[] {
  const { operationId, description, parameters = [], requestBody, responses } = operation;
  const [json, media] = [["content", "application/json"], "application/json"];
  const own = parameters.flatMap((each: Node, index: number) =>
    each.$ref
      ? []
      : [valuePlace("parameter", `${operationId} ${each.name}`, [...at, "parameters", String(index)], each)],
  );
  const bodyAt = [...at, "requestBody", ...json];
  const answerAt = [...at, "responses", "200", ...json];
  const answer = responses["200"];
  return [
    { kind: "operation", where: operationId, text: withoutCallers(description), hasExample: true, examples: [] },
    ...own,
    ...(requestBody ? bodyPlaces(`${operationId} body`, bodyAt, requestBody.content[media]) : []),
    { ...valuePlace("answer", `${operationId} 200`, answerAt, answer.content[media]), text: answer.description },
    ...fieldPlaces(`${operationId} 200`, [...answerAt, "schema"], answer.content[media].schema),
  ];
}

function bodyPlaces(where: string, at: string[], content: Node): Place[] {
  const outer = Object.values<Node>(content.schema.properties)[0];
  const body = { ...valuePlace("body", where, at, content), text: outer.description };
  const [, ...inner] = fieldPlaces(where, [...at, "schema"], content.schema);
  return [body, ...inner];
}

/** A description without the generated sentence on callers. */
function withoutCallers(description: string): string {
  return description
    .split("\n\n")
    .filter((each) => !/^(Callers:|No token)/.test(each))
    .join("\n\n");
}

function valuePlace(kind: Place["kind"], where: string, at: string[], { description, example }: Node): Place {
  const examples = example === undefined ? [] : [example];
  return { kind, where, text: description ?? "", hasExample: examples.length > 0, examples, schema: [...at, "schema"] };
}

/** The fields of a schema, and the fields of these where they have no name. */
function fieldPlaces(where: string, at: string[], schema: Node): Place[] {
  const partsIn = (key: string): [Node, string[]][] =>
    (schema[key] ?? []).map((part: Node, index: number) => [part, [...at, key, String(index)]]);
  const items: [Node, string[]] = [schema.items ?? {}, [...at, "items"]];
  const parts: [Node, string[]][] = [[schema, at], items, ...partsIn("anyOf"), ...partsIn("allOf")];
  return parts.flatMap(([part, place]) =>
    Object.entries<Node>(part.properties ?? {}).flatMap(([name, property]) => {
      const [inner, here] = [[...place, "properties", name], `${where}.${name}`];
      return [fieldPlace(here, inner, property), ...fieldPlaces(here, inner, property)];
    }),
  );
}

function fieldPlace(where: string, schema: string[], node: Node): Place {
  const { description, examples = [] } = node;
  return {
    kind: "field",
    where,
    text: description ?? "",
    hasExample: examples.length > 0 || isOfParts(node),
    examples,
    schema,
  };
}

/** True where the value is an object or a list of them, whose fields have examples, or an object without known fields. */
function isOfParts({ $ref, type, properties, items, anyOf, allOf }: Node): boolean {
  if ($ref) return true;
  if (items) return isOfParts(items);
  return Boolean(properties || allOf) || type === "object" || (anyOf ?? []).some(isOfParts);
}
