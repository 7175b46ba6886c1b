import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FunctionName, functions } from "../../infra/functions/functions.ts";
import { namesOf } from "../../infra/stages/names.ts";
import { hasDocs } from "../../infra/stages/stage.ts";
import { findStage, stageNames } from "../../infra/stages/stages.ts";
import { answerHeaders, requestHeaders } from "../../shared/contract/headers.ts";
import { operations } from "../../shared/contract/operations.ts";
import { resolvedOpenApi } from "../support/requests/described-answers.ts";
import { fullStage } from "../support/service/owned-stage.ts";
import { synthesizeStage, writeStubBundles } from "../support/service/synthesize-stages.ts";
import { readStack, stackOf, useStack } from "./stack.ts";

const stack = await useStack();

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

test("every operation has exactly one route, with its method and path, to its own function; the rest is refused", () => {
  const wanted = operations.map(({ name, method, path }) => [`${method} ${path}`, name]);
  const page = ["/", "/docs", "/docs/{file}"].map((path) => [`GET ${path}`, "get-docs"]);
  expect(routes().sort()).toEqual([...wanted, ...page, ["$default", "refuse-unrouted"]].sort());
});

test.each([
  ["dev", true],
  ["local", true],
  ["staging", false],
  ["prod", false],
  ["full", true],
])("the documentation page of %s: %s; a stage that keeps its data has it where it says so", (name, isThere) => {
  const { functions: found, all } = stackOf(name);
  const keys: string[] = all("AWS::ApiGatewayV2::Route").map(({ properties }) => properties.RouteKey);
  const routed = ["GET /", "GET /docs", "GET /docs/{file}"].map((key) => keys.includes(key));
  expect([found().has("get-docs"), ...routed]).toEqual(Array(4).fill(isThere));
});

test("a stage may leave the documentation page out", () => {
  expect(hasDocs({ docs: false, removal: "delete" })).toBe(false);
});

test("every route hands its function the event in payload format 2.0", () => {
  for (const { id, properties } of stack.all("AWS::ApiGatewayV2::Integration")) {
    expect(properties.PayloadFormatVersion, id).toBe("2.0");
    expect(properties.IntegrationType, id).toBe("AWS_PROXY");
  }
});

test.each([
  "dev",
  "full",
])("D43: nothing of %s writes over the headers of an answer, such as its Vary, but CORS its own", (name) => {
  const { all } = stackOf(name);
  const integrations = all("AWS::ApiGatewayV2::Integration");
  expect(integrations.length).toBeGreaterThan(operations.length / 2);
  for (const { id, properties } of integrations) {
    expect([id, properties.ResponseParameters, properties.RequestParameters]).toEqual([id, undefined, undefined]);
  }
});

test("what anyone may guess at has a limit of its own, far below the whole API's, and nothing else has: a flood of guesses leaves refreshes alone", () => {
  const { throttle, anonymousThrottle } = findStage("dev");
  const [apiStage] = stack.all("AWS::ApiGatewayV2::Stage");
  const open = operations.filter(
    ({ name, access }) =>
      access === "anyone" &&
      name !== "refresh-token" &&
      ["accounts", "sessions"].includes(functions[name as FunctionName].area),
  );
  const limits = {
    ThrottlingRateLimit: anonymousThrottle.requestsPerSecond,
    ThrottlingBurstLimit: anonymousThrottle.burst,
  };
  const wanted = Object.fromEntries(open.map(({ method, path }) => [`${method} ${path}`, limits]));
  expect(open.length).toBeGreaterThan(0);
  expect(apiStage?.properties.RouteSettings).toEqual(wanted);
  expect(anonymousThrottle.requestsPerSecond).toBeLessThanOrEqual(throttle.requestsPerSecond / 10);
});

test("the API's stage waits for the routes whose limits it names", () => {
  const [apiStage] = stack.all("AWS::ApiGatewayV2::Stage");
  const limited = Object.keys(apiStage?.properties.RouteSettings);
  const ids = stack.all("AWS::ApiGatewayV2::Route").filter(({ properties }) => limited.includes(properties.RouteKey));
  expect(apiStage?.dependsOn.toSorted()).toEqual(expect.arrayContaining(ids.map(({ id }) => id)));
});

test("phones reach the API by IPv6, with an address of their own for the limits by client", () => {
  const { all } = stackOf("full");
  expect(all("AWS::ApiGatewayV2::Api")[0]?.properties.IpAddressType).toBe("dualstack");
  const [configuration] = all("AWS::ApiGatewayV2::DomainName")[0]?.properties.DomainNameConfigurations ?? [];
  expect(configuration.IpAddressType).toBe("dualstack");
});

test("D34: browsers of the stage's origins, and no others, may send and read what clients need", () => {
  const [api] = stack.all("AWS::ApiGatewayV2::Api");
  expect(api?.properties.CorsConfiguration).toEqual({
    AllowOrigins: findStage("dev").origins,
    AllowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    AllowHeaders: [...requestHeaders],
    ExposeHeaders: [...answerHeaders],
    MaxAge: 3600,
  });
});

describe("D34: what the contract names", () => {
  const described = Object.values<Record<string, Described>>(resolvedOpenApi.paths).flatMap((methods) =>
    Object.values(methods),
  );

  test("every header of a request is allowed, and nothing else", () => {
    const named = described.flatMap(({ parameters = [], requestBody, security = [] }) => [
      ...parameters.flatMap((each) => (each.in === "header" ? [each.name.toLowerCase()] : [])),
      ...(requestBody ? ["content-type"] : []),
      ...(security.length > 0 ? ["authorization"] : []),
    ]);
    expect([...new Set(named)].toSorted()).toEqual(requestHeaders.toSorted());
  });

  test("every header of an answer is exposed, and nothing else", () => {
    const named = described.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    );
    // The refusal of a method is of no operation (D31).
    expect([...new Set([...named, "allow"])].toSorted()).toEqual(answerHeaders.toSorted());
  });

  test.each(stageNames)("%s allows and exposes all of it", (name) => {
    const [api] = stackOf(name).all("AWS::ApiGatewayV2::Api");
    const { AllowHeaders, ExposeHeaders } = api?.properties.CorsConfiguration ?? {};
    expect(AllowHeaders).toEqual(requestHeaders);
    expect(ExposeHeaders).toEqual(answerHeaders);
  });
});

test.each(
  stageNames,
)("%s logs every request as JSON, without paths, queries or headers, in a log group that expires", (name) => {
  const { all } = stackOf(name);
  const [apiStage] = all("AWS::ApiGatewayV2::Stage");
  const { DestinationArn, Format } = apiStage?.properties.AccessLogSettings ?? {};
  const group = all("AWS::Logs::LogGroup").find(({ id }) => id === DestinationArn["Fn::GetAtt"][0]);
  expect(group?.properties.RetentionInDays).toBe(findStage(name).logRetentionDays);
  expect(group?.properties.LogGroupName).toMatch(/^\/aws\/vendedlogs\//);
  expect(Object.values(JSON.parse(Format)).toSorted()).toEqual([
    "$context.error.responseType",
    "$context.identity.sourceIp",
    "$context.integration.requestId",
    "$context.integrationLatency",
    "$context.integrationStatus",
    "$context.requestId",
    "$context.requestTimeEpoch",
    "$context.responseLatency",
    "$context.routeKey",
    "$context.status",
  ]);
});

test.each(stageNames)("%s takes no more than its throttle says, and no metrics are paid for by route", (name) => {
  const [apiStage] = stackOf(name).all("AWS::ApiGatewayV2::Stage");
  const { throttle } = findStage(name);
  expect(apiStage?.properties.DefaultRouteSettings).toEqual({
    ThrottlingRateLimit: throttle.requestsPerSecond,
    ThrottlingBurstLimit: throttle.burst,
    DetailedMetricsEnabled: false,
  });
});

test("an address of one's own leads to the API with TLS 1.2, and the outputs say what DNS needs", () => {
  const { edge: _, ...stage } = fullStage;
  const outdir = mkdtempSync(join(tmpdir(), "workforce-domain-"));
  writeStubBundles(join(outdir, "bundles"), Object.keys(functions));
  const made = synthesizeStage({ stage, bundles: join(outdir, "bundles"), outdir: join(outdir, "out") });
  rmSync(outdir, { recursive: true });
  const { all, template } = readStack(made.template);
  const [domain] = all("AWS::ApiGatewayV2::DomainName");
  const { name, certificateArn } = fullStage.customDomain;
  expect(domain?.properties.DomainName).toBe(name);
  expect(domain?.properties.DomainNameConfigurations).toEqual([
    expect.objectContaining({ CertificateArn: certificateArn, SecurityPolicy: "TLS_1_2", EndpointType: "REGIONAL" }),
  ]);
  const [mapping] = all("AWS::ApiGatewayV2::ApiMapping");
  const refTo = (type: string) => ({ Ref: all(type)[0]?.id });
  expect(mapping?.properties).toMatchObject({
    ApiId: refTo("AWS::ApiGatewayV2::Api"),
    DomainName: refTo("AWS::ApiGatewayV2::DomainName"),
    Stage: "$default",
  });
  expect(mapping?.dependsOn).toContain(all("AWS::ApiGatewayV2::Stage")[0]?.id);
  const { Outputs } = template as { Outputs: Record<string, { Value: unknown }> };
  expect(Outputs.CustomBaseUrl?.Value).toBe(`https://${name}`);
  expect(Outputs.CustomDomainTarget?.Value).toEqual({ "Fn::GetAtt": [domain?.id, "RegionalDomainName"] });
  expect(Outputs.CustomDomainHostedZone?.Value).toEqual({ "Fn::GetAtt": [domain?.id, "RegionalHostedZoneId"] });
}, 60_000);

/** Each route's key, and the operation of the function that it leads to. */
function routes(): (readonly [string, string | undefined])[] {
  const integrations = new Map(
    stack.all("AWS::ApiGatewayV2::Integration").map(({ id, properties }) => [id, properties]),
  );
  const operationOf = new Map([...stack.functions()].map(([operation, { id }]) => [id, operation]));
  return stack.all("AWS::ApiGatewayV2::Route").map(({ properties }) => {
    const integration = properties.Target["Fn::Join"][1][1].Ref;
    const target = integrations.get(integration)?.IntegrationUri["Fn::GetAtt"][0];
    return [properties.RouteKey, operationOf.get(target)] as const;
  });
}

test.each(stageNames)("the API of %s is found by the stage's name among those of the account", (name) => {
  expect(stackOf(name).all("AWS::ApiGatewayV2::Api")[0]?.properties.Name).toBe(namesOf(name).api);
});
