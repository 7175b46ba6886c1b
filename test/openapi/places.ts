// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, looked into field by field
type Node = any;

/** A place of the document that has a text: its own, or none where it refers to another place. */
export interface Place {
  readonly kind: "operation" | "parameter" | "field" | "header" | "body" | "answer";
  readonly where: string;
  readonly text: string;
  /** True where there is an example, or where the parts of the value have theirs. */
  readonly hasExample: boolean;
  readonly examples: readonly unknown[];
  /** The place of the value's schema. */
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
    ...Object.entries<Node>(schemas).flatMap(([name, schema]) => shapePlaces(name, schema)),
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
    { ...examplePlace("answer", `${operationId} 200`, answerAt, answer.content[media]), text: answer.description },
    ...fieldPlaces(`${operationId} 200`, [...answerAt, "schema"], answer.content[media].schema),
  ];
}

function bodyPlaces(where: string, at: string[], content: Node): Place[] {
  const outer = Object.values<Node>(content.schema.properties)[0];
  const body = { ...examplePlace("body", where, at, content), text: outer.description };
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

function examplePlace(kind: Place["kind"], where: string, at: string[], content: Node): Place {
  return valuePlace(kind, where, at, content);
}

function shapePlaces(name: string, schema: Node): Place[] {
  const at = ["components", "schemas", name];
  const parts: [Node, string[]][] = (schema.allOf ?? []).map((part: Node, index: number) => [
    part,
    [...at, "allOf", String(index)],
  ]);
  const fields = [[schema, at] as const, ...parts].flatMap(([part, place]) => fieldPlaces(name, [...place], part));
  return [fieldPlace(name, at, schema), ...fields];
}

/** The fields of a schema, and the fields of these where they have no name. */
function fieldPlaces(where: string, at: string[], schema: Node): Place[] {
  return Object.entries<Node>(schema.properties ?? {}).flatMap(([name, property]) => {
    const [place, here] = [[...at, "properties", name], `${where}.${name}`];
    return [fieldPlace(here, place, property), ...innerPlaces(here, place, property)];
  });
}

function innerPlaces(where: string, at: string[], property: Node): Place[] {
  const inner: [Node, string[]][] = [
    [property, at],
    [property.items ?? {}, [...at, "items"]],
    ...(property.anyOf ?? []).map((part: Node, index: number): [Node, string[]] => [
      part,
      [...at, "anyOf", String(index)],
    ]),
  ];
  return inner.flatMap(([part, place]) => fieldPlaces(where, place, part));
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
