import type { Draft } from "./draft.ts";

/** The files that an operation has alone, with their texts. The sample event is made of another operation's. */
export function operationFiles(draft: Draft, read: (file: string) => string): [file: string, text: string][] {
  const { name, area } = draft;
  return [
    [`functions/${area}/${name}.ts`, functionOf(draft)],
    [`events/${area}/${name}.json`, eventOf(draft, read("events/accounts/get-profile.json"))],
    [`test/functions/${area}/${name}.test.ts`, testOf(draft)],
  ];
}

function functionOf({ identifier, area, title, method, parameters, list }: Draft): string {
  const wrapper = method === "GET" ? "authenticated" : "inSession";
  // A cursor holds for the values that `readPage` gets.
  const filters = parameters.length > 0 ? `{ ...query, ${parameters.join(", ")} }` : "query";
  const answer = list ? `readPage(${identifier}, ${filters}, () => nothingFound)` : "{}";
  const query = list ? "query, " : "";
  const imports = `import { ${identifier} } from "../../shared/contract/${area}.ts";
${list ? 'import { nothingFound, readPage } from "../../shared/domain/paging/paging.ts";\n' : ""}import { ${wrapper} } from "../../shared/http/endpoint.ts";
`;
  if (parameters.length === 0) {
    const declared = list ? `({ query }) => ${answer}` : "async () => ({})";
    return `${imports}\n/** ${title}. */\nexport const handler = ${wrapper}(${identifier}, ${declared});\n`;
  }
  return `import { recordNotFound } from "../../shared/db/records/find-records.ts";
${imports}
/** ${title}. */
export const handler = ${wrapper}(${identifier}, async ({ ${query}parameters: { ${parameters.join(", ")} } }) => {
  // Text that is no id names no record.
  if (${parameters.map((each) => `${each} === undefined`).join(" || ")}) throw recordNotFound();
  return ${answer};
});
`;
}

/** The test fails with a list of what to fill in. */
function testOf({ name, identifier, area, parameters, object }: Draft): string {
  const request = [
    "as: admin",
    ...(parameters.length > 0 ? [`parameters: { ${parameters.map((each) => `${each}: "1"`).join(", ")} }`] : []),
    ...(object ? [`body: { ${object}: { id: 1 } }`] : []),
  ];
  const places = [
    `shared/contract/${area}.ts: summary, access, needsSession, companyBound, input, answer, refusals`,
    `shared/contract/texts/${area}.ts: what the OpenAPI document says of it, with the examples that its request is made of`,
    "infra/functions/functions.ts: impact, access, table",
    `functions/${area}/${name}.ts: what it does`,
    `events/${area}/${name}.json: a request that succeeds, here and on the demo data (timesheets 1 and 2, invoice 1 and job 1 of company 1, notifications 1 and 2 of each user)`,
    "this test: what each status guarantees; then npm run docs -- --costs --examples",
  ];
  return `import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/${area}/${name}.ts";
import { ${identifier} } from "../../../shared/contract/${area}.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

/** The places in which ${name} is still a draft. */
const places = [
${places.map((place) => `  "${place}",`).join("\n")}
];

useService();

describe("200", () => {
  test("${name} answers what its contract says", async () => {
    expect((await call(handler, ${identifier}, { ${request.join(", ")} })).status).toBe(200);
    expect.fail(\`${name} is a draft; fill in\\n\${places.join("\\n")}\`);
  });
});
`;
}

interface SampleEvent {
  readonly headers: object;
  readonly requestContext: { readonly http: object };
  readonly isBase64Encoded: boolean;
}

/** A request as API Gateway sends it, made of another operation's event, which has no body. */
function eventOf({ method, path, parameters, object }: Draft, sample: string): string {
  const { headers, requestContext, isBase64Encoded, ...rest } = JSON.parse(sample) as SampleEvent;
  const rawPath = path.replaceAll(/\{\w+\}/g, "1");
  const routeKey = `${method} ${path}`;
  const body = object && JSON.stringify({ [object]: { id: 1 } });
  const event = {
    ...rest,
    routeKey,
    rawPath,
    headers: {
      ...headers,
      ...(body && { "content-length": String(body.length), "content-type": "application/json" }),
    },
    ...(parameters.length > 0 && { pathParameters: Object.fromEntries(parameters.map((each) => [each, "1"])) }),
    requestContext: { ...requestContext, routeKey, http: { ...requestContext.http, method, path: rawPath } },
    ...(body && { body }),
    isBase64Encoded,
  };
  return `${JSON.stringify(event, null, 2)}\n`;
}
