import { listed, resolve, whole } from "./whole-schema.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, looked into field by field
type Node = any;

/** Whether a schema describes what clients send, which may only get wider, or what they receive, which may only get narrower. */
type Direction = "sent" | "received";

const methods = ["get", "put", "post", "delete", "patch"];
const lowest = ["minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties"];
const highest = ["maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties"];

/** The uses that the newer document takes from a client of the older one: a line each, which begins with the place. */
export function breakingChanges(older: Node, newer: Node): string[] {
  return Object.entries<Node>(older.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .flatMap((method) => {
        const next = newer.paths[path]?.[method];
        const found = next ? operationChanges({ older, newer }, item[method], next) : ["is removed"];
        return found.map((each) => `${method.toUpperCase()} ${path} ${each}`);
      }),
  );
}

interface Documents {
  readonly older: Node;
  readonly newer: Node;
}

function operationChanges(documents: Documents, before: Node, after: Node): string[] {
  return [
    ...says(before.operationId !== after.operationId, "has another operationId"),
    ...says(!wantsToken(before) && wantsToken(after), "wants a token"),
    ...parameterChanges(
      documents,
      listed(documents.older, before.parameters),
      listed(documents.newer, after.parameters),
    ),
    ...bodyChanges(documents, before.requestBody, after.requestBody),
    ...responseChanges(documents, before.responses, after.responses),
  ];
}

/** Of several requirements one is enough, and an empty one asks for nothing. */
function wantsToken({ security = [] }: Node): boolean {
  return security.length > 0 && security.every((requirement: Node) => Object.keys(requirement).length > 0);
}

function parameterChanges(documents: Documents, before: Node[], after: Node[]): string[] {
  const isSame = (one: Node) => (other: Node) => one.name === other.name && one.in === other.in;
  const added = after.filter((each) => each.required && !before.some(isSame(each)));
  const kept = before.flatMap((each) => {
    const next = after.find(isSame(each));
    if (!next) return [`parameter ${each.name} is removed`];
    const style = [each.style, each.explode].join() !== [next.style, next.explode].join();
    return [
      ...says(!each.required && next.required, `parameter ${each.name} becomes required`),
      ...says(style, `parameter ${each.name} is written otherwise`),
      ...schemaChanges(documents, each.schema, next.schema, "sent", `parameter ${each.name}`),
    ];
  });
  return [...added.map(({ name }) => `parameter ${name} is new and required`), ...kept];
}

function bodyChanges(documents: Documents, before: Node, after: Node): string[] {
  if (!before) return says(after?.required, "wants a body");
  if (!after) return ["takes no body any more"];
  return [
    ...says(!before.required && after.required, "body becomes required"),
    ...contentChanges(documents, before.content, after.content, "sent", "body"),
  ];
}

function responseChanges(documents: Documents, before: Node, after: Node): string[] {
  return Object.entries<Node>(before).flatMap(([status, each]) => {
    const [response, next] = [resolve(documents.older, each), resolve(documents.newer, after[status])];
    // A refusal that no longer happens breaks nobody.
    if (!next) return says(status.startsWith("2"), `${status} is removed`);
    const lost = Object.keys(response.headers ?? {}).filter((name) => !(name in (next.headers ?? {})));
    return [
      ...lost.map((name) => `${status} loses the header ${name}`),
      ...contentChanges(documents, response.content ?? {}, next.content ?? {}, "received", status),
    ];
  });
}

function contentChanges(documents: Documents, before: Node, after: Node, direction: Direction, where: string) {
  return Object.entries<Node>(before).flatMap(([type, { schema }]) => {
    if (!after[type]) return [`${where} is no ${type} any more`];
    return schemaChanges(documents, schema, after[type].schema, direction, where);
  });
}

function schemaChanges(documents: Documents, one: Node, other: Node, direction: Direction, where: string): string[] {
  const before = whole(documents.older, one);
  const after = whole(documents.newer, other);
  if (!before || !after) return says(Boolean(before) !== Boolean(after), `${where} has another schema`);
  return [
    ...valueChanges(before, after, direction, where),
    ...(direction === "sent" ? limitChanges(before, after, where) : []),
    ...propertyChanges(documents, before, after, direction, where),
    ...choiceChanges(documents, before, after, direction, where),
    ...(before.items || after.items
      ? schemaChanges(documents, before.items ?? {}, after.items ?? {}, direction, `${where}[]`)
      : []),
  ];
}

/** Types, constants and enumerations. */
function valueChanges(before: Node, after: Node, direction: Direction, where: string): string[] {
  const types = (schema: Node) => [schema.type ?? []].flat();
  const values = (schema: Node) => schema.enum ?? ("const" in schema ? [schema.const] : []);
  return [types, values].flatMap((read, at) => {
    const [wide, narrow] = direction === "sent" ? [read(after), read(before)] : [read(before), read(after)];
    if (wide.length === 0) return [];
    // Clients are to expect codes of refusals that they do not know.
    if (at === 1 && direction === "received" && where.endsWith(".code")) return [];
    if (narrow.length === 0 && (choicesOf(before) || choicesOf(after))) return [];
    if (narrow.length === 0) return [`${where} ${direction === "sent" ? "takes less" : "may be more"}`];
    const others = narrow.filter((value: Node) => !wide.some((each: Node) => includes(each, value)));
    return others.map(
      (value: Node) => `${where} ${direction === "sent" ? "refuses" : "may be"} ${JSON.stringify(value)}`,
    );
  });
}

function includes(wide: Node, value: Node): boolean {
  return wide === value || (wide === "number" && value === "integer");
}

function limitChanges(before: Node, after: Node, where: string): string[] {
  const none = { low: -Infinity, high: Infinity };
  const tighter = [
    ...lowest.filter((name) => (after[name] ?? none.low) > (before[name] ?? none.low)),
    ...highest.filter((name) => (after[name] ?? none.high) < (before[name] ?? none.high)),
    ...["pattern", "format", "multipleOf"].filter(
      (name) => name in after && after[name] !== before[name] && !isSizeOf(after, before, name),
    ),
    ...says(after.uniqueItems && !before.uniqueItems, "uniqueItems"),
    ...says(after.additionalProperties === false && before.additionalProperties !== false, "additionalProperties"),
  ];
  return tighter.map((name) => `${where} is limited by another ${name}`);
}

/** True for the size of an integer that the limits of the older schema fit. */
function isSizeOf(after: Node, { minimum, maximum }: Node, name: string): boolean {
  const most = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER }[String(after[name])];
  return name === "format" && most !== undefined && minimum >= -most && maximum <= most;
}

function propertyChanges(documents: Documents, before: Node, after: Node, direction: Direction, where: string) {
  const [earlier, later] = [before.properties ?? {}, after.properties ?? {}];
  const required = (schema: Node): string[] => schema.required ?? [];
  const lost = Object.keys(earlier).filter((name) => !(name in later));
  const [wants, had] = direction === "sent" ? [required(after), required(before)] : [required(before), required(after)];
  const changed = wants.filter((name) => !had.includes(name) && !lost.includes(name));
  const kept = Object.entries(earlier).filter(([name]) => name in later);
  return [
    ...lost.map((name) => `${where}.${name} is removed`),
    ...changed.map((name) => `${where}.${name} becomes ${direction === "sent" ? "required" : "optional"}`),
    ...kept.flatMap(([name, schema]) => schemaChanges(documents, schema, later[name], direction, `${where}.${name}`)),
  ];
}

/** Of `anyOf` and `oneOf`, each alternative of the narrower side has to fit one of the wider. */
function choiceChanges(documents: Documents, before: Node, after: Node, direction: Direction, where: string): string[] {
  const misfits = choicesOf(before) || choicesOf(after) ? misfitsOf(documents, before, after, direction, where) : [];
  return misfits.map((each) => `${where} ${direction === "sent" ? "refuses" : "may be"} ${JSON.stringify(each)}`);
}

function misfitsOf(documents: Documents, before: Node, after: Node, direction: Direction, where: string): Node[] {
  const [narrow, wide] = direction === "sent" ? [before, after] : [after, before];
  const fits = (one: Node, other: Node) => {
    const [earlier, later] = direction === "sent" ? [one, other] : [other, one];
    return schemaChanges(documents, earlier, later, direction, where).length === 0;
  };
  const wider: Node[] = choicesOf(wide) ?? [wide];
  // The narrower schema as a whole may have become one of several.
  if (choicesOf(wide) && wider.some((each) => fits(narrow, each))) return [];
  return (choicesOf(narrow) ?? [narrow]).filter((one) => !wider.some((other) => fits(one, other)));
}

function choicesOf(schema: Node): Node[] | undefined {
  return schema.anyOf ?? schema.oneOf;
}

function says(isSo: boolean | undefined, text: string): string[] {
  return isSo ? [text] : [];
}
