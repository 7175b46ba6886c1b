import { describe, expect, test } from "vitest";
import { answerHeaders, requestHeaders, tracingHeaders } from "../../../../infra/constructs/api/headers.ts";
import { type FunctionName, functions } from "../../../../infra/functions/functions.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { hasDocs } from "../../../../infra/stages/stage-shape.ts";
import { findStage, stageNames } from "../../../../infra/stages/stages.ts";
import { operations } from "../../../../shared/contract/operations.ts";
import { getHealth, getKeySet } from "../../../../shared/contract/service.ts";
import { resolvedOpenApi } from "../../../support/requests/described-answers.ts";
import { readStack, stackOf, synthesizeAlone, useStack } from "../../stack.ts";
import { fullStage, ownedStage } from "../../stages/owned-stage.ts";

const stack = await useStack();
const full = stackOf("full");
const page = ["/", "/docs", "/docs/{file}", "/llms.txt", "/arazzo.json"].map((path) => `ANY ${path}`);

interface Described {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

test("every operation has one route, with its method and path, to its own function, and the reads for monitors one for HEAD; the rest is refused", () => {
  const integrations = new Map(stack.all("AWS::ApiGatewayV2::Integration").map((each) => [each.id, each.properties]));
  const operationOf = new Map([...stack.functions()].map(([operation, { id }]) => [id, operation]));
  const routes = stack.all("AWS::ApiGatewayV2::Route").map(({ properties }) => {
    const { IntegrationUri } = integrations.get(properties.Target["Fn::Join"][1][1].Ref) ?? {};
    return [properties.RouteKey, operationOf.get(IntegrationUri["Fn::GetAtt"][0])];
  });
  const head = ["get-health", "get-key-set", "get-openapi"];
  const wanted = operations.flatMap(({ name, method, path }) => [
    [`${method} ${path}`, name],
    ...(head.includes(name) ? [[`HEAD ${path}`, name]] : []),
  ]);
  const docs = page.map((key) => [key, "get-docs"]);
  // The routes of a function share its integration.
  expect(integrations.size).toBe(new Set(routes.map(([, operation]) => operation)).size);
  expect(routes.sort()).toEqual([...wanted, ...docs, ["$default", "refuse-unrouted"]].sort());
});

test.each([
  ["dev", true],
  ["local", true],
  ["staging", false],
  ["prod", false],
  ["full", true],
])("the documentation page of %s: %s; a stage that keeps its data has it where it says so", (name, isThere) => {
  const { functions: found, all } = stackOf(name);
  const keys = all("AWS::ApiGatewayV2::Route").map(({ properties }) => properties.RouteKey);
  expect([found().has("get-docs"), ...page.map((key) => keys.includes(key))]).toEqual(
    Array(1 + page.length).fill(isThere),
  );
  expect(hasDocs({ docs: false, removal: "delete" })).toBe(false);
});

test.each([
  "local",
  "full",
])("in %s every route hands its function the event in format 2.0, and nothing writes over headers", (name) => {
  const integrations = stackOf(name).all("AWS::ApiGatewayV2::Integration");
  expect(integrations.length).toBeGreaterThan(operations.length / 2);
  for (const { id, properties } of integrations) {
    const { PayloadFormatVersion, IntegrationType, ResponseParameters, RequestParameters } = properties;
    expect([PayloadFormatVersion, IntegrationType], id).toEqual(["2.0", "AWS_PROXY"]);
    expect([ResponseParameters, RequestParameters], id).toEqual([undefined, undefined]);
  }
});

test("what anyone may guess at has a limit of its own, far below the whole API's, and nothing else has but what a frozen stage answers: a flood of guesses leaves refreshes alone", () => {
  const { throttle, anonymousThrottle } = findStage("dev");
  const { properties, dependsOn } = stack.one("AWS::ApiGatewayV2::Stage");
  const isGuessedAt = (name: string) => ["accounts", "sessions"].includes(functions[name as FunctionName].area);
  const open = operations.filter(
    ({ name, access }) => access === "anyone" && name !== "refresh-token" && isGuessedAt(name),
  );
  const { requestsPerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit } = anonymousThrottle;
  const limits = { ThrottlingRateLimit, ThrottlingBurstLimit };
  const ofAll = { ThrottlingRateLimit: throttle.requestsPerSecond, ThrottlingBurstLimit: throttle.burst };
  const answered = [getHealth, getKeySet].flatMap(({ path }) => [`GET ${path}`, `HEAD ${path}`]);
  expect(properties.RouteSettings).toEqual({
    ...Object.fromEntries(open.map(({ method, path }) => [`${method} ${path}`, limits])),
    ...Object.fromEntries(answered.map((route) => [route, ofAll])),
  });
  expect(open.length).toBeGreaterThan(0);
  expect(ThrottlingRateLimit).toBeLessThanOrEqual(throttle.requestsPerSecond / 10);
  // API Gateway takes no limit of a route that is not there.
  const routes = stack.all("AWS::ApiGatewayV2::Route");
  const limited = routes.filter(({ properties: { RouteKey } }) => Object.hasOwn(properties.RouteSettings, RouteKey));
  expect(dependsOn).toEqual(expect.arrayContaining(limited.map(({ id }) => id)));
});

test.each([
  "local",
  "full",
])("at most three routes of %s are made at once, each with its integration: API Gateway's control plane takes ten calls a second", (name) => {
  const { all } = stackOf(name);
  const [routes, integrations] = [all("AWS::ApiGatewayV2::Route"), all("AWS::ApiGatewayV2::Integration")];
  const isRoute = (id: string) => routes.some((each) => each.id === id);
  const before = routes.map(({ dependsOn }) => dependsOn.filter(isRoute));
  // Each waits for one other at most, and no two for the same: these are chains, as many as there are routes that wait for none.
  expect(Math.max(...before.map(({ length }) => length))).toBe(1);
  expect(new Set(before.flat()).size).toBe(before.flat().length);
  for (const made of [routes, integrations])
    expect(made.filter(({ dependsOn }) => !dependsOn.some(isRoute)).length).toBeLessThanOrEqual(3);
});

describe("D34: what the contract names", () => {
  const described = Object.values<Record<string, Described>>(resolvedOpenApi.paths).flatMap((methods) =>
    Object.values(methods),
  );

  test("every header of a request is allowed, and beside it none but those of tracing tools", () => {
    const named = described.flatMap(({ parameters = [], requestBody, security = [] }) => [
      ...parameters.flatMap((each) => (each.in === "header" ? [each.name.toLowerCase()] : [])),
      ...(requestBody ? ["content-type"] : []),
      ...(security.length > 0 ? ["authorization"] : []),
    ]);
    expect([...new Set(named)].toSorted()).toEqual(requestHeaders.toSorted());
    expect(tracingHeaders.filter((name) => named.includes(name))).toEqual([]);
  });

  test("every header of an answer is exposed, and nothing else", () => {
    const named = described.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    );
    // The refusal of a method is of no operation (D31).
    expect([...new Set([...named, "allow"])].toSorted()).toEqual(answerHeaders.toSorted());
  });
});

// Neither message holds a path, a query or a header.
const logged = `error.message error.responseType identity.sourceIp integration.requestId integrationErrorMessage
  integrationLatency integrationStatus requestId requestTimeEpoch responseLatency routeKey status`;

describe.each(stageNames)("the API of %s", (name) => {
  const { all, one } = stackOf(name);
  const { Name, IpAddressType, CorsConfiguration } = one("AWS::ApiGatewayV2::Api").properties;
  const { AccessLogSettings, AutoDeploy, DefaultRouteSettings } = one("AWS::ApiGatewayV2::Stage").properties;

  test("has the stage's name, an address in IPv6, routes as they are deployed, and no metrics that are paid for by route", () => {
    expect([Name, IpAddressType, AutoDeploy]).toEqual([namesOf(name).api, "dualstack", true]);
    expect(DefaultRouteSettings.DetailedMetricsEnabled).toBe(false);
  });

  test("D34: lets browsers of the stage's origins, and no others, send and read what clients need", () => {
    expect(CorsConfiguration).toEqual({
      AllowOrigins: ownedStage(name).origins,
      AllowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
      AllowHeaders: [...requestHeaders, "traceparent", "tracestate", "baggage", "sentry-trace"],
      ExposeHeaders: [...answerHeaders],
      MaxAge: expect.any(Number),
    });
  });

  test("logs every request as JSON, without paths, queries or headers", () => {
    const { DestinationArn, Format } = AccessLogSettings;
    const group = all("AWS::Logs::LogGroup").find(({ id }) => id === DestinationArn["Fn::GetAtt"][0])?.properties;
    expect(group?.RetentionInDays).toBe(findStage(name).logRetentionDays);
    expect(group?.LogGroupName).toMatch(/^\/aws\/vendedlogs\//);
    const wanted = logged.split(/\s+/).map((each) => `$context.${each}`);
    expect(Object.values(JSON.parse(Format)).toSorted()).toEqual(wanted);
  });
});

test("an address of one's own leads to the API with TLS 1.2, and the outputs say what DNS needs", () => {
  const { edge: _, ...stage } = fullStage;
  const { one, template } = readStack(synthesizeAlone({ stage }));
  const { id, properties } = one("AWS::ApiGatewayV2::DomainName");
  const { name, certificateArn } = fullStage.customDomain;
  expect(properties.DomainName).toBe(name);
  const tls = { SecurityPolicy: "TLS_1_2", EndpointType: "REGIONAL", IpAddressType: "dualstack" };
  expect(properties.DomainNameConfigurations).toMatchObject([{ CertificateArn: certificateArn, ...tls }]);
  const mapping = one("AWS::ApiGatewayV2::ApiMapping");
  const ApiId = { Ref: one("AWS::ApiGatewayV2::Api").id };
  expect(mapping.properties).toMatchObject({ ApiId, DomainName: { Ref: id }, Stage: "$default" });
  expect(mapping.dependsOn).toContain(one("AWS::ApiGatewayV2::Stage").id);
  const { BaseUrl, CustomBaseUrl, CustomDomainTarget, CustomDomainHostedZone } = template.Outputs ?? {};
  expect(BaseUrl?.Value).toEqual({ "Fn::GetAtt": [ApiId.Ref, "ApiEndpoint"] });
  expect(CustomBaseUrl?.Value).toBe(`https://${name}`);
  expect(CustomDomainTarget?.Value).toEqual({ "Fn::GetAtt": [id, "RegionalDomainName"] });
  expect(CustomDomainHostedZone?.Value).toEqual({ "Fn::GetAtt": [id, "RegionalHostedZoneId"] });
}, 60_000);

describe("a stage with an edge", () => {
  const secret = full.one("AWS::SecretsManager::Secret", "EdgeSecret");
  const distribution = full.one("AWS::CloudFront::Distribution").properties.DistributionConfig;

  test("answers behind CloudFront under its own name alone: the API's own address is closed", () => {
    expect(full.one("AWS::ApiGatewayV2::Api").properties.DisableExecuteApiEndpoint).toBe(true);
    expect(full.template.Outputs?.BaseUrl?.Value).toBe(`https://${fullStage.customDomain.name}`);
    expect(full.template.Outputs?.CustomDomainTarget?.Value).toEqual({
      "Fn::GetAtt": [expect.stringContaining("Distribution"), "DomainName"],
    });
    // The zone of all distributions.
    expect(full.template.Outputs?.CustomDomainHostedZone?.Value).toBe("Z2FDTNDATAQYW2");
    const without = stackOf("prod");
    expect(() => without.all("AWS::CloudFront::Distribution")).toThrow();
    expect(without.all("AWS::SecretsManager::Secret")).toHaveLength(2);
    expect(without.one("AWS::ApiGatewayV2::Api").properties.DisableExecuteApiEndpoint).not.toBe(true);
  });

  test("has the firewall before it, caches nothing, and passes all on but cookies", () => {
    const { WebACLId, Aliases, DefaultCacheBehavior, ViewerCertificate } = distribution;
    expect(WebACLId).toBe(fullStage.edge.webAclArn);
    expect(Aliases).toEqual([fullStage.customDomain.name]);
    expect(ViewerCertificate.AcmCertificateArn).toBe(fullStage.edge.certificateArn);
    // The policy of CloudFront's own that caches nothing.
    expect(DefaultCacheBehavior.CachePolicyId).toBe("4135ea2d-6df8-44a3-9df3-4b5a84be39ad");
    expect(DefaultCacheBehavior.ViewerProtocolPolicy).toBe("https-only");
    expect(DefaultCacheBehavior.AllowedMethods).toContain("PATCH");
    const policy = full.one("AWS::CloudFront::OriginRequestPolicy").properties.OriginRequestPolicyConfig;
    expect(policy).toMatchObject({
      HeadersConfig: { HeaderBehavior: "allViewerAndWhitelistCloudFront", Headers: ["CloudFront-Viewer-Address"] },
      QueryStringsConfig: { QueryStringBehavior: "all" },
      CookiesConfig: { CookieBehavior: "none" },
    });
  });

  test("proves itself with a secret that no template has, and reads it again once its moment is another", () => {
    const [origin] = distribution.Origins;
    const [{ HeaderName, HeaderValue }] = origin.OriginCustomHeaders;
    expect(HeaderName).toBe("x-origin-secret");
    expect(JSON.stringify(HeaderValue)).toMatch(/\{\{resolve:secretsmanager:.*:SecretString:current::\}\}/);
    expect(JSON.stringify(HeaderValue)).toContain(`"${secret.id}"`);
    expect(origin.CustomOriginConfig.OriginProtocolPolicy).toBe("https-only");
    expect(distribution.Comment).toContain(fullStage.edge.secretRotatedAt);
  });
});
