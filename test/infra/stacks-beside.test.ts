import { describe, expect, test } from "vitest";
import { FirewallStack } from "../../infra/firewall-stack.ts";
import { OutsideCheckStack } from "../../infra/outside-check-stack.ts";
import { namesOf } from "../../infra/stages/names.ts";
import type { Stage } from "../../infra/stages/stage-shape.ts";
import { getHealth } from "../../shared/contract/service.ts";
import { type Resource, stackBeside } from "./stack.ts";
import { fullStage } from "./stages/owned-stage.ts";

const outside = stackBeside((app) => new OutsideCheckStack(app, fullStage));
const firewall = stackBeside((app) => new FirewallStack(app, fullStage));

test.each([
  ["check from outside", outside],
  ["firewall", firewall],
])("the %s is in the one region that AWS takes it from, protected, and cdk-nag finds nothing", (_, made) => {
  expect([made.region, made.findings, made.isProtected]).toEqual(["us-east-1", [], true]);
  for (const [Key, Value] of Object.entries(namesOf("full").tags))
    expect(JSON.stringify(made.template)).toContain(JSON.stringify({ Key, Value }));
});

describe("the check from outside", () => {
  test("asks a stage for its health over TLS, at the host that clients call, from three other regions", () => {
    const { Regions, ...config } = outside.one("AWS::Route53::HealthCheck").properties.HealthCheckConfig;
    expect(config).toMatchObject({
      Type: "HTTPS",
      Port: 443,
      FullyQualifiedDomainName: fullStage.probedHost,
      EnableSNI: true,
      ResourcePath: getHealth.path,
    });
    expect(Regions).toHaveLength(3);
    expect(Regions).not.toContain(fullStage.region);
  });

  test("pages the stage's addresses, also when all of the stage's region is gone", () => {
    const { properties } = outside.one("AWS::CloudWatch::Alarm", "noanswer");
    const { id } = outside.one("AWS::Route53::HealthCheck");
    const Dimensions = [{ Name: "HealthCheckId", Value: { "Fn::GetAtt": [id, "HealthCheckId"] } }];
    const topic = { Ref: outside.one("AWS::SNS::Topic", "AlarmsPage").id };
    expect(properties).toMatchObject({
      Namespace: "AWS/Route53",
      Dimensions,
      AlarmActions: [topic],
      OKActions: [topic],
    });
    const notified = outside
      .all("AWS::SNS::Subscription")
      .filter((each) => each.properties.TopicArn.Ref === topic.Ref)
      .map((each) => [each.properties.Protocol, each.properties.Endpoint]);
    expect(notified.toSorted()).toEqual([
      ["email", fullStage.alarmAddress],
      ["https", fullStage.pagerUrl],
    ]);
  });
});

describe("the watch over the edge", () => {
  const outsideOf = (stage: Stage) => stackBeside((app) => new OutsideCheckStack(app, stage));
  const watched = (stage: Stage) =>
    outsideOf(stage)
      .all("AWS::CloudWatch::Alarm")
      .map(({ properties }) => properties.AlarmName.replace("Workforce-full-", ""));
  const { distributionId, ...undeployed } = fullStage.edge;
  const { edge, ...others } = fullStage;

  test("is of its certificate, its firewall, and its answers once the distribution is known; nothing without an edge", () => {
    const all = ["edge-5xx", "edge-blocks", "edge-certificate-expires", "no-answer"];
    expect(watched(fullStage).toSorted()).toEqual(all);
    expect(watched({ ...fullStage, edge: undeployed }).toSorted()).toEqual(all.slice(1));
    expect(watched(others)).toEqual(["no-answer"]);
    expect(outsideOf(others).all("AWS::SNS::Topic")).toHaveLength(1);
    expect(JSON.stringify(outside.one("AWS::CloudWatch::Alarm", "edge5xx"))).toContain(distributionId);
  });

  test("names the firewall as it names itself, and what a stranger can cause waits for the morning", () => {
    const { Dimensions, AlarmActions } = outside.one("AWS::CloudWatch::Alarm", "edgeblocks").properties;
    const { MetricName } = firewall.one("AWS::WAFv2::WebACL").properties.VisibilityConfig;
    expect(Dimensions).toContainEqual({ Name: "WebACL", Value: MetricName });
    expect(AlarmActions).toEqual([{ Ref: outside.one("AWS::SNS::Topic", "AlarmsTopic").id }]);
    expect(edge.webAclArn).toContain(`/${MetricName}/`);
  });
});

describe("the firewall", () => {
  test("counts and samples what each rule matches", () => {
    const { VisibilityConfig, Rules } = firewall.one("AWS::WAFv2::WebACL").properties;
    for (const shown of [VisibilityConfig, ...Rules.map((rule: Resource["properties"]) => rule.VisibilityConfig)])
      expect(shown).toMatchObject({ CloudWatchMetricsEnabled: true, SampledRequestsEnabled: true });
  });

  const { Scope, DataProtectionConfig, Rules } = firewall.one("AWS::WAFv2::WebACL").properties;

  test("stands before CloudFront, and keeps no header that proves who somebody is", () => {
    expect(Scope).toBe("CLOUDFRONT");
    expect(DataProtectionConfig.DataProtections).toEqual(
      ["authorization", "known-client", "x-origin-secret"].map((name) => ({
        Action: "SUBSTITUTION",
        Field: { FieldType: "SINGLE_HEADER", FieldKeys: [name] },
      })),
    );
  });

  test("refuses one address that sends too much to account routes, and one that sends too much at all", () => {
    const scopes = Rules.map(({ Statement, Action }: Resource["properties"]) => {
      const { AggregateKeyType, ScopeDownStatement = {} } = Statement.RateBasedStatement;
      expect([AggregateKeyType, Object.keys(Action)]).toEqual(["IP", ["Block"]]);
      return [...JSON.stringify(ScopeDownStatement).matchAll(/"SearchString":"([^"]+)"/g)].map(([, text]) => text);
    });
    expect(scopes).toEqual([["/api/v1/users", "POST", "PUT", "/api/v1/users/confirmation", "GET"], []]);
  });
});
