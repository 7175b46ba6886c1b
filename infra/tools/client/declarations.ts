import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isByCursor, type Operation, roles } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { internalError, refusalCodes } from "../../../shared/contract/refusals.ts";
import { describeInterface } from "../../document/document.ts";
import { refusalsOf, sharedRefusals } from "../../document/refusals-of.ts";
import type { JsonSchema } from "../../document/schemas.ts";
import { root } from "../../support/root.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { methodNameOf } from "./client-operations.ts";
import { commentOf, typeScriptOf } from "./schema-types.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}
interface Described {
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

/** Codes that an app has no use for at a single call. */
const sharedCodes = [...sharedRefusals, internalError.code];

const sources = ["errors", "store", "client-settings"];

/** The declarations of the package: one file without imports, with the texts of the contract as comments. */
export function declareClient(): string {
  const document = describeInterface() as unknown as Document;
  const parts = operations.map((operation) => declareOperation(document, operation));
  const shapes = parts.map(({ shapes }) => shapes).join("\n");
  const methods = parts.map(({ method }) => method).join("\n");
  return [
    "// Written by `npm run client` from the contract of the service.",
    ...declareSources(),
    `/** A role of a user. */\nexport type Role = ${unionOf(roles)};`,
    `/** The code of a problem: every reason that the service refuses a request for, and its own fault. */\nexport type ProblemCode = ${unionOf([...Object.keys(refusalCodes), internalError.code])};`,
    ...namedTypes(document, shapes),
    shapes,
    `/**\n * A client: one method an operation. Besides the codes of its own, each may throw ${named(sharedCodes)}.\n */\nexport interface Client extends SessionMethods {\n${methods}\n}`,
    "/** Makes a client of a service. */\nexport declare function createClient(settings: ClientSettings): Client;",
    "export {};",
  ].join("\n\n");
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** The declarations of the source files without their imports, because all of them go into one file. */
function declareSources(): string[] {
  const outDir = makeTemporaryFolder("declarations");
  const files = sources.map((name) => `shared/client/${name}.ts`);
  const flags =
    "--ignoreConfig --declaration --emitDeclarationOnly --noCheck --allowImportingTsExtensions --module nodenext";
  const parameters = [...flags.split(" "), "--rootDir", root, "--outDir", outDir.path, ...files];
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...parameters], { cwd: root });
  const declared = files.map((file) => readFileSync(join(outDir.path, file.replace(/ts$/, "d.ts")), "utf8"));
  outDir.remove();
  return declared.map((text) => text.replace(/^import .*\n/gm, "").trim());
}

function namedTypes({ components }: Document, shapes: string): string[] {
  const declared = new Map<string, string>();
  const add = (text: string) => {
    for (const [name, schema] of Object.entries(components.schemas)) {
      if (declared.has(name) || !new RegExp(`\\b${name}\\b`).test(text)) continue;
      const made = `${commentOf(schema, "")}export type ${name} = ${typeScriptOf(schema)};`;
      declared.set(name, made);
      add(made);
    }
  };
  add(shapes.replace(/\/\*\*.*?\*\//gs, ""));
  return [...declared.values()];
}

function declareOperation(document: Document, operation: Operation): { shapes: string; method: string } {
  const { name, path, method: verb, list, summary } = operation;
  const described = document.paths[path]?.[verb.toLowerCase()];
  if (!described) throw new Error(`The document does not describe ${name}`);
  const method = methodNameOf(name);
  const shape = method.charAt(0).toUpperCase() + method.slice(1);
  const input = inputOf(document, described, operation);
  const answer = described.responses["200"]?.content["application/json"]?.schema ?? {};
  const shapes = [
    ...(input ? [`${commentOf(input, "")}export type ${shape}Input = ${typeScriptOf(input)};`] : []),
    `/** The answer of \`${method}\`. */\nexport type ${shape}Answer = ${typeScriptOf(answer)};`,
  ].join("\n");
  const isOptional = !input?.required?.length;
  const parameter = input ? `input${isOptional ? "?" : ""}: ${shape}Input` : "input?: Record<string, never>";
  const pages = isByCursor(operation) ? `${shape}Answer, CursorFacts` : `${shape}Answer`;
  const lists = verb === "GET" ? `ListRequest<${pages}>` : `Promise<${shape}Answer & ListFacts>`;
  const own = refusalsOf(operation).filter((code) => !sharedRefusals.includes(code));
  const throws = own.length > 0 && `@throws {ProblemError} ${named(own)}`;
  const description = [`${summary}.`, described.description, throws];
  const comment = commentOf({ description: description.filter(Boolean).join("\n\n") }, "  ");
  const options = operation.idempotent ? "IdempotentCallOptions" : "CallOptions";
  const answers = list ? lists : `Promise<${shape}Answer>`;
  return { shapes, method: `${comment}  ${method}(${parameter}, options?: ${options}): ${answers};` };
}

/** The parameters of path and query and the fields of the body as one object; undefined if there are none. */
function inputOf(document: Document, described: Described, { name, body }: Operation): JsonSchema | undefined {
  const parameters = (described.parameters ?? []).map((each) =>
    each.$ref ? resolve<Parameter>(document, each.$ref) : each,
  );
  const own = parameters.filter((each) => each.in === "path" || each.in === "query");
  const properties = Object.fromEntries(own.map((each) => [each.name, fieldOf(each)]));
  const required = own.filter((each) => each.required).map((each) => each.name);
  const outer = described.requestBody?.content["application/json"]?.schema;
  const fields = body && dereference(document, dereference(document, outer).properties?.[body.object]);
  if (fields && own.some((each) => each.in === "query" || fields.properties?.[each.name])) {
    throw new Error(`${name} has a query beside its body, or a name twice: the client takes both in one object`);
  }
  if (!fields && own.length === 0) return undefined;
  return {
    type: "object",
    description: fields?.description ?? `The parameters of \`${methodNameOf(name)}\`.`,
    properties: { ...properties, ...fields?.properties } as NonNullable<JsonSchema["properties"]>,
    required: [...required, ...(fields?.required ?? [])],
  };
}

/** A parameter as a field; where it takes a list, one value as well. */
function fieldOf({ name: _, schema, ...texts }: Parameter): object {
  return schema.type === "array" ? { ...texts, anyOf: [schema, schema.items] } : { ...schema, ...texts };
}

function named(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(", ");
}

function unionOf(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(" | ");
}

function dereference(document: Document, schema: JsonSchema | boolean | undefined): JsonSchema {
  const known = typeof schema === "object" ? schema : {};
  return known.$ref ? resolve(document, known.$ref) : known;
}

function resolve<T>(document: Document, reference: string): T {
  const found = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document);
  return found as T;
}
