import { expect, test } from "vitest";
import { guardedPartitions } from "../../../../infra/functions/function-row.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { type Statement, stackOf } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";

const full = stackOf("full");
const resource = full.one("AWS::IAM::Role", "RepairRole");
const role = resource.properties;
const statements: Statement[] = role.Policies[0].PolicyDocument.Statement;
const { repairRole, repairRule } = namesOf("full");
const region = fullStage.region;
const patternOf = (partition: string) => partition.replace(/#$/, "#*");

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

test("the repair role reads no secret, and of the guarded partitions the history and the users' alone", () => {
  expect(statements).toContainEqual({ Effect: "Deny", Action: "secretsmanager:*", Resource: "*" });
  for (const { Effect, Action, Condition } of statements) {
    const actions = [Action]
      .flat()
      .filter((each) => each?.startsWith("dynamodb:") && each !== "dynamodb:DescribeTable");
    if (Effect === "Deny" || actions.length === 0) continue;
    const { "ForAllValues:StringNotLike": out, "ForAllValues:StringLike": only } = Condition as Record<string, Keys>;
    const kept = out?.["dynamodb:LeadingKeys"] ?? [];
    const reads = actions.every((each) => /:(Get|BatchGet|Query)/.test(each ?? ""));
    const open = reads ? ["HISTORY#", "USER#"] : [];
    if (only) expect(only["dynamodb:LeadingKeys"]).toEqual(["HISTORY#IMPORT#*"]);
    else
      expect(kept, actions.join()).toEqual(
        expect.arrayContaining(guardedPartitions.filter((each) => !open.includes(each)).map(patternOf)),
      );
  }
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

interface Keys {
  readonly "dynamodb:LeadingKeys": readonly string[];
}
