import manifest from "../../package.json" with { type: "json" };
import type { Operation } from "../../shared/contract/operation.ts";
import { operations, tagOf } from "../../shared/contract/operations.ts";
import { headerComponents, parameterComponents } from "./components.ts";
import { describeEvents } from "./describe-events.ts";
import { describeOperation, schemes } from "./describe-operation.ts";
import { kindsTable } from "./kinds-table.ts";
import { problemComponents, problemExamples, problemSchemas } from "./problems.ts";
import { refusalsOf } from "./refusals-of.ts";
import { namedSchemas } from "./schemas.ts";
import { apiKeySchemeText, bearerText, interfaceText, serverText, tagTexts } from "./texts/interface.ts";

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
      securitySchemes: {
        [schemes.bearer]: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: bearerText },
        [schemes.apiKey]: { type: "http", scheme: "bearer", bearerFormat: "API key", description: apiKeySchemeText },
      },
    },
  };
}

function tagDescription(name: string, text: string): string {
  return name === "notifications" ? `${text}\n\n${kindsTable()}` : text;
}
