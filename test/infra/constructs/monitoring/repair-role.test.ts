import { expect, test } from "vitest";
import { namesOf } from "../../../../infra/stages/names.ts";
import { stackOf } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";

const full = stackOf("full");
const resource = full.one("AWS::IAM::Role", "RepairRole");
const role = resource.properties;
const { repairRole, repairRule } = namesOf("full");
const region = fullStage.region;

test("a session of the repair role ends after an hour, and begins in the stage's region alone", () => {
  expect(role.RoleName).toBe(repairRole(region));
  expect(role.MaxSessionDuration).toBe(3_600);
  const { Statement: trust } = role.AssumeRolePolicyDocument;
  expect(trust).toHaveLength(1 + fullStage.onCallPrincipals.length);
  for (const { Condition } of trust) expect(Condition.StringEquals).toEqual({ "aws:RequestedRegion": region });
});

test("IAM takes the trust policies of the roles for people, and their names, in every region", () => {
  for (const { AssumeRolePolicyDocument } of [role, full.one("AWS::IAM::Role", "OnCallRole").properties])
    expect(JSON.stringify(AssumeRolePolicyDocument).length).toBeLessThan(2_048);
  const longest = namesOf("a".repeat(20));
  for (const name of [longest.repairRole, longest.onCallRole, longest.restoreRole])
    expect(name("ap-southeast-1").length).toBeLessThanOrEqual(64);
});

test("the repair role reads no secret", () => {
  const { Statement: statements } = role.Policies[0].PolicyDocument;
  expect(statements).toContainEqual({ Effect: "Deny", Action: "secretsmanager:*", Resource: "*" });
});

test("each time that it is taken counts, although AWS counts the call as reading; the alarm looks at the count", () => {
  const rule = full.one("AWS::Events::Rule", "RepairTaken").properties;
  expect(rule).toMatchObject({
    Name: repairRule,
    State: "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS",
    EventPattern: {
      source: ["aws.sts"],
      "detail-type": ["AWS API Call via CloudTrail"],
      detail: { eventName: ["AssumeRole"], requestParameters: { roleArn: [{ "Fn::GetAtt": [resource.id, "Arn"] }] } },
    },
  });
  const alarms = full
    .all("AWS::CloudWatch::Alarm")
    .filter(({ properties }) => properties.MetricName === "MatchedEvents");
  expect(alarms.map(({ properties }) => properties)).toMatchObject([
    {
      Namespace: "AWS/Events",
      Dimensions: [{ Name: "RuleName", Value: repairRule }],
      Threshold: 1,
      AlarmActions: [expect.anything()],
    },
  ]);
});
