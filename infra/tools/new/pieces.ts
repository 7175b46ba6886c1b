import type { Draft } from "./draft.ts";

/** The text of the function's file. */
export function functionOf({ identifier, area, title }: Draft): string {
  return `import { ${identifier} } from "../../shared/contract/${area}.ts";
import { authenticated } from "../../shared/http/endpoint.ts";

/** ${title}. */
export const handler = authenticated(${identifier}, async () => ({}));
`;
}

/** The text of the test: it fails, and says what there is to fill in. */
export function testOf({ name, identifier, area, parameters, object }: Draft): string {
  const request = [
    "as: admin",
    ...(parameters.length > 0 ? [`parameters: { ${parameters.map((each) => `${each}: "1"`).join(", ")} }`] : []),
    ...(object ? [`body: { ${object}: { id: 1 } }`] : []),
  ];
  const places = [
    `shared/contract/${area}.ts: summary, access, companyBound, input, answer, refusals`,
    "infra/functions/functions.ts: impact, access, table",
    `functions/${area}/${name}.ts: what it does`,
    `events/${area}/${name}.json: a request that succeeds, here and on the demo data (timesheets, invoices and jobs 1 and 2 of company 1, notifications 1 and 2 of each user)`,
    "this test: what each status guarantees; then npm run docs",
  ];
  return `import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/${area}/${name}.ts";
import { ${identifier} } from "../../../shared/contract/${area}.ts";
import { call } from "../../support/requests/call.ts";
import { useService } from "../../support/service/service.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

/** Where ${name} is still a draft. */
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

/** The text of the sample event: a request as API Gateway sends it, payload 2.0. */
export function eventOf({ method, path, parameters, object }: Draft): string {
  const address = path.replaceAll(/\{\w+\}/g, "1");
  const routeKey = `${method} ${path}`;
  const host = "a1b2c3d4e5.execute-api.eu-west-2.amazonaws.com";
  const body = object && JSON.stringify({ [object]: { id: 1 } });
  const event = {
    version: "2.0",
    routeKey,
    rawPath: address,
    rawQueryString: "",
    headers: {
      accept: "application/json",
      "accept-encoding": "gzip, deflate, br",
      authorization: "Bearer {{token}}",
      ...(body && { "content-length": String(body.length), "content-type": "application/json" }),
      host,
      "user-agent": "WorkforceApp/3.8 (iOS 19.1; iPhone17,2)",
      "x-amzn-trace-id": "Root=1-6a1ddeb4-a2b4a9332d1ce45d6129fe73",
      "x-forwarded-for": "203.0.113.24",
      "x-forwarded-port": "443",
      "x-forwarded-proto": "https",
    },
    ...(parameters.length > 0 && { pathParameters: Object.fromEntries(parameters.map((each) => [each, "1"])) }),
    requestContext: {
      accountId: "123456789012",
      apiId: "a1b2c3d4e5",
      domainName: host,
      domainPrefix: "a1b2c3d4e5",
      http: {
        method,
        path: address,
        protocol: "HTTP/1.1",
        sourceIp: "203.0.113.24",
        userAgent: "WorkforceApp/3.8 (iOS 19.1; iPhone17,2)",
      },
      requestId: "Mk3a1f0c2d9e4c1=",
      routeKey,
      stage: "$default",
      time: "01/Jun/2026:19:34:12 +0000",
      timeEpoch: 1780342452000,
    },
    ...(body && { body }),
    isBase64Encoded: false,
  };
  return `${JSON.stringify(event, null, 2)}\n`;
}
