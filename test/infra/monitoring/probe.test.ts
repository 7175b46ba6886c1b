import { expect, test } from "vitest";
import { ProbeStack } from "../../../infra/probe-stack.ts";
import { requireDeployable } from "../../../infra/stages/stage-rules.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { getHealth } from "../../../shared/contract/service.ts";
import { fullStage } from "../../support/service/owned-stage.ts";
import { stackBeside } from "../stack.ts";

const { all, region, faults, isProtected } = stackBeside((app) => new ProbeStack(app, fullStage));
const [check] = all("AWS::Route53::HealthCheck");

test("a stage is asked for its health from outside of its region, over TLS, at the host that clients call", () => {
  const { Regions, ...config } = check?.properties.HealthCheckConfig ?? {};
  expect(config).toEqual({
    Type: "HTTPS",
    FullyQualifiedDomainName: fullStage.probedHost,
    Port: 443,
    EnableSNI: true,
    ResourcePath: getHealth.path,
    RequestInterval: 30,
    FailureThreshold: 3,
  });
  expect(Regions).toHaveLength(3);
  expect(Regions).not.toContain(fullStage.region);
});

test("no answer pages within four minutes, also when all of the stage's region is gone", () => {
  const [alarm, ...others] = all("AWS::CloudWatch::Alarm");
  expect(others).toEqual([]);
  // Route 53 reports there alone, and no alarm looks into another region.
  expect(region).toBe("us-east-1");
  expect(alarm?.properties).toMatchObject({
    AlarmName: "Workforce-full-no-answer",
    Namespace: "AWS/Route53",
    MetricName: "HealthCheckStatus",
    Dimensions: [{ Name: "HealthCheckId", Value: { "Fn::GetAtt": [check?.id, "HealthCheckId"] } }],
    Statistic: "Minimum",
    ComparisonOperator: "LessThanThreshold",
    Threshold: 1,
    Period: 60,
    EvaluationPeriods: 2,
    TreatMissingData: "breaching",
  });
  const [topic, ...otherTopics] = all("AWS::SNS::Topic");
  expect(otherTopics).toEqual([]);
  expect([alarm?.properties.AlarmActions, alarm?.properties.OKActions]).toEqual([
    [{ Ref: topic?.id }],
    [{ Ref: topic?.id }],
  ]);
  const notified = all("AWS::SNS::Subscription").map(({ properties }) => [properties.Protocol, properties.Endpoint]);
  expect(notified.toSorted()).toEqual([
    ["email", fullStage.alarmAddress],
    ["https", fullStage.pagerUrl],
  ]);
});

test("the check has nothing that cdk-nag finds fault with, and is protected with its stage", () => {
  expect(faults).toEqual([]);
  expect(isProtected).toBe(true);
});

test("a stage as it is shipped asks nobody, and one that is to be asked names somebody to notify", () => {
  for (const name of ["dev", "staging", "prod"]) expect(findStage(name).probedHost).toBeUndefined();
  const { probedHost } = fullStage;
  expect(() => requireDeployable({ ...findStage("dev"), probedHost }, {})).toThrow(/^Set probedHost of the stage dev /);
  const { probedHost: _, ...silent } = fullStage;
  expect(() => stackBeside((app) => new ProbeStack(app, silent))).toThrow(/^Set probedHost of the stage full /);
});
