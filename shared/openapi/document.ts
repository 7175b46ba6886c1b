import manifest from "../../package.json" with { type: "json" };
import type { Answer, Operation } from "../contract/operation.ts";
import { operations, tagOf } from "../contract/operations.ts";
import type { getOpenapi } from "../contract/service.ts";
import { bearerText, interfaceText, serverText, tagTexts } from "../contract/texts/interface.ts";
import { headerComponents, parameterComponents } from "./components.ts";
import { describeEvents } from "./describe-events.ts";
import { bearer, describeOperation } from "./describe-operation.ts";
import { kindsTable } from "./kinds-table.ts";
import { problemComponents, problemExamples, problemSchemas } from "./problems.ts";
import { refusalsOf } from "./refusals-of.ts";
import { namedSchemas } from "./schemas.ts";

/** The finished document as JSON, which the bundler inserts; undeclared if the source runs unbundled. */
declare const OPENAPI_DOCUMENT: string;

/** The OpenAPI 3.1 document of these operations: everything the contract says of them, and nothing else. */
export function describeInterface(described: readonly Operation[] = operations) {
  const paths: Record<string, Record<string, object>> = {};
  for (const each of described) {
    const operation = describeOperation(each, tagOf(each) ?? "service");
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: operation };
  }
  const refusals = described.map(refusalsOf);
  const { version, license, author } = manifest;
  return {
    openapi: "3.1.1",
    info: {
      title: "Workforce API",
      version,
      description: interfaceText,
      license: { name: license, identifier: license },
      contact: author,
    },
    servers: [{ url: "/", description: serverText, "x-internal": false }],
    tags: Object.entries(tagTexts).map(([name, text]) => ({ name, description: tagDescription(name, text) })),
    paths,
    webhooks: describeEvents(),
    components: {
      schemas: { ...namedSchemas(), ...problemSchemas },
      parameters: parameterComponents(),
      headers: headerComponents(),
      responses: problemComponents(refusals),
      examples: problemExamples(refusals),
      securitySchemes: { [bearer]: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: bearerText } },
    },
  };
}

function tagDescription(name: string, text: string): string {
  return name === "notifications" ? `${text}\n\n${kindsTable()}` : text;
}

/** The document of the whole service. In a bundle it is finished, so the modules that make it stay outside. */
export function openApiDocument(): Answer<typeof getOpenapi> {
  return typeof OPENAPI_DOCUMENT === "undefined" ? describeInterface() : JSON.parse(OPENAPI_DOCUMENT);
}
