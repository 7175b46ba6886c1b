import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FirewallStack } from "../../infra/firewall-stack.ts";
import { functions } from "../../infra/functions/functions.ts";
import { root } from "../../infra/local/stack/synthesis.ts";
import { fullStage } from "../support/service/owned-stage.ts";
import { stackBeside, stackOf } from "./stack.ts";

const stack = stackOf("full");
const secret = stack.all("AWS::SecretsManager::Secret").find(({ properties }) => /edge-secret$/.test(properties.Name));

describe("a stage with an edge", () => {
  test("answers behind CloudFront under its own name alone: the API's own address is closed", () => {
    const [api] = stack.all("AWS::ApiGatewayV2::Api");
    expect(api?.properties.DisableExecuteApiEndpoint).toBe(true);
    expect(stack.template.Outputs?.BaseUrl?.Value).toBe(`https://${fullStage.customDomain.name}`);
    expect(stack.template.Outputs?.CustomDomainTarget?.Value).toEqual({
      "Fn::GetAtt": [expect.stringContaining("Distribution"), "DomainName"],
    });
  });

  test("has the firewall before it, caches nothing, and passes all on but cookies", () => {
    const [distribution] = stack.all("AWS::CloudFront::Distribution");
    const { WebACLId, Aliases, DefaultCacheBehavior, ViewerCertificate } =
      distribution?.properties.DistributionConfig ?? {};
    expect(WebACLId).toBe(fullStage.edge.webAclArn);
    expect(Aliases).toEqual([fullStage.customDomain.name]);
    expect(ViewerCertificate.AcmCertificateArn).toBe(fullStage.edge.certificateArn);
    // The policy of CloudFront's own that caches nothing.
    expect(DefaultCacheBehavior.CachePolicyId).toBe("4135ea2d-6df8-44a3-9df3-4b5a84be39ad");
    expect(DefaultCacheBehavior.ViewerProtocolPolicy).toBe("https-only");
    expect(DefaultCacheBehavior.AllowedMethods).toContain("PATCH");
    const [policy] = stack.all("AWS::CloudFront::OriginRequestPolicy");
    expect(policy?.properties.OriginRequestPolicyConfig).toMatchObject({
      HeadersConfig: { HeaderBehavior: "allViewerAndWhitelistCloudFront", Headers: ["CloudFront-Viewer-Address"] },
      QueryStringsConfig: { QueryStringBehavior: "all" },
      CookiesConfig: { CookieBehavior: "none" },
    });
  });

  test("proves itself with a secret that no template has, and reads it again once its moment is another", () => {
    const [distribution] = stack.all("AWS::CloudFront::Distribution");
    const { Origins, Comment } = distribution?.properties.DistributionConfig ?? {};
    const [{ HeaderName, HeaderValue }] = Origins[0].OriginCustomHeaders;
    expect(HeaderName).toBe("x-origin-secret");
    expect(JSON.stringify(HeaderValue)).toMatch(/\{\{resolve:secretsmanager:.*:SecretString:current::\}\}/);
    expect(JSON.stringify(HeaderValue)).toContain(`"${secret?.id}"`);
    expect(Origins[0].CustomOriginConfig).toMatchObject({ OriginProtocolPolicy: "https-only" });
    expect(Comment).toContain(fullStage.edge.secretRotatedAt);
  });

  test("makes its secret once: CloudFormation makes a new one when a single character of this changes", () => {
    expect(secret?.properties.GenerateSecretString).toEqual({
      ExcludePunctuation: true,
      GenerateStringKey: "current",
      PasswordLength: 64,
      SecretStringTemplate: '{"previous":""}',
    });
  });

  test("lets those functions read the secret that limit clients by their address, and no others", () => {
    const readers = [...stack.functions()].filter(([name, { properties }]) => {
      const may = JSON.stringify(stack.rightsOf(name)).includes(`"${secret?.id}"`);
      expect(properties.Environment.Variables.EDGE_SECRET_ARN !== undefined, name).toBe(may);
      return may;
    });
    expect(readers.map(([name]) => name).toSorted()).toEqual([
      "confirm-login",
      "confirm-login-by-body",
      "register-user",
      "sign-in",
    ]);
  });
});

test("a function that limits clients by their address says so in its row, and no other does", () => {
  for (const [name, { area, readsClientAddress = false }] of Object.entries(functions)) {
    const source = readFileSync(join(root, "functions", area, `${name}.ts`), "utf8");
    expect(source.includes("anonymousByAddress("), name).toBe(readsClientAddress);
  }
});

test("a stage without an edge has no distribution, no secret for it, and answers under the API's own address", () => {
  const { all } = stackOf("prod");
  expect(() => all("AWS::CloudFront::Distribution")).toThrow();
  expect(all("AWS::SecretsManager::Secret")).toHaveLength(2);
  expect(all("AWS::ApiGatewayV2::Api")[0]?.properties.DisableExecuteApiEndpoint).not.toBe(true);
});

describe("the firewall", () => {
  const { all, region, faults } = stackBeside((app) => new FirewallStack(app, fullStage));

  test("is where CloudFront takes firewalls from, with nothing that cdk-nag finds fault with", () => {
    expect(region).toBe("us-east-1");
    expect(all("AWS::WAFv2::WebACL")[0]?.properties.Scope).toBe("CLOUDFRONT");
    expect(faults).toEqual([]);
  });

  test("keeps no header that proves who somebody is: access tokens, refresh tokens, the edge's secret", () => {
    expect(all("AWS::WAFv2::WebACL")[0]?.properties.DataProtectionConfig.DataProtections).toEqual(
      ["authorization", "known-client", "x-origin-secret"].map((name) => ({
        Action: "SUBSTITUTION",
        Field: { FieldType: "SINGLE_HEADER", FieldKeys: [name] },
      })),
    );
  });

  test("refuses one address with 429 from 300 requests a minute to account routes on, and 3,000 in all", () => {
    const [acl] = all("AWS::WAFv2::WebACL");
    const rules = acl?.properties.Rules.map((rule: Rule) => {
      const { Limit, EvaluationWindowSec, AggregateKeyType, ScopeDownStatement } = rule.Statement.RateBasedStatement;
      expect([EvaluationWindowSec, AggregateKeyType, rule.Action.Block.CustomResponse.ResponseCode]).toEqual([
        60,
        "IP",
        429,
      ]);
      return [Limit, JSON.stringify(ScopeDownStatement ?? {}).match(/"SearchString":"[^"]+"/g)];
    });
    expect(rules).toEqual([
      [
        300,
        ["/api/v1/users", "POST", "PUT", "/api/v1/users/confirmation", "GET"].map((each) => `"SearchString":"${each}"`),
      ],
      [3_000, null],
    ]);
  });
});

interface Rule {
  readonly Statement: {
    readonly RateBasedStatement: {
      readonly Limit: number;
      readonly EvaluationWindowSec: number;
      readonly AggregateKeyType: string;
      readonly ScopeDownStatement?: object;
    };
  };
  readonly Action: { readonly Block: { readonly CustomResponse: { readonly ResponseCode: number } } };
}
