import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { queues } from "../../../../infra/functions/queues.ts";
import { root } from "../../../../infra/local/stack/synthesis.ts";
import { namesOf, tableNameOf } from "../../../../infra/stages/names.ts";
import { queueNames } from "../../../../shared/settings.ts";
import { arnOf, type Statement, stackOf } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";

const full = stackOf("full");
const page = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");
const role = full.one("AWS::IAM::Role", "OnCallRole").properties;

const [rota = "", permissionSet = ""] = fullStage.onCallPrincipals;
/** A permission set of a longer name than the stage's does not count as it. */
const namedPeople = [
  { ArnLike: { "aws:PrincipalArn": rota } },
  {
    ArnLike: { "aws:PrincipalArn": permissionSet },
    ArnNotLike: { "aws:PrincipalArn": permissionSet.replace(/_\*$/, "_*_*") },
  },
];

test("whoever answers alarms reads no secret and no stream, changes no live record, and has shown a second factor", () => {
  expect(statementsOf("Deny")).toMatchObject([{ Action: "secretsmanager:*", Resource: "*" }]);
  const [withFactor, ...named] = role.AssumeRolePolicyDocument.Statement;
  expect(withFactor.Condition).toEqual({ Bool: { "aws:MultiFactorAuthPresent": "true" } });
  expect(named.map(({ Condition }: Statement) => Condition)).toEqual(namedPeople);
  const live = new RegExp(`:table/${tableNameOf({ name: "full" })}("|$)`);
  for (const { Action, Resource } of statementsOf("Allow")) {
    const items = [Action ?? []]
      .flat()
      .filter((each) => /^dynamodb:(Get|Put|Update|Delete|Batch|Query|Scan)/.test(each));
    if (items.length > 0) expect(JSON.stringify(Resource)).not.toMatch(live);
    expect(JSON.stringify(Resource), "the stream has the images of every item").not.toContain("/stream/");
  }
});

/** The resources of a stage or of its account that the role may change. */
const arnsOf = (stage: string) => {
  const { accessLogs, firewall } = namesOf(stage);
  const table = tableNameOf({ name: stage });
  return [
    ["logs:FilterLogEvents", `logs:eu-west-2:123456789012:log-group:/aws/lambda/workforce-${stage}-sign-in`],
    ["logs:FilterLogEvents", `logs:eu-west-2:123456789012:log-group:${accessLogs}:*`],
    ["lambda:InvokeFunction", `lambda:eu-west-2:123456789012:function:workforce-${stage}-mark-overdue`],
    ["lambda:UpdateAlias", `lambda:eu-west-2:123456789012:function:workforce-${stage}-sign-in`],
    ["codedeploy:StopDeployment", "codedeploy:eu-west-2:123456789012:deploymentgroup:Application/Group"],
    ["backup:StartRestoreJob", "backup:eu-west-2:123456789012:recovery-point:0bd60c40"],
    ["wafv2:GetSampledRequests", `wafv2:us-east-1:123456789012:global/webacl/${firewall}/0bd60c40`],
    ["dynamodb:DeleteTable", `dynamodb:eu-west-2:123456789012:table/${table}-2`],
  ] as const;
};

test("whoever answers alarms does so for the stage, and for no other of its account, whatever that one's name begins with", () => {
  for (const [action, arn] of arnsOf("full")) expect(isAllowed(action, `arn:aws:${arn}`, "full"), arn).toBe(true);
  for (const [action, arn] of arnsOf("full-eu")) {
    expect(isAllowed(action, `arn:aws:${arn}`, "full-eu"), arn).toBe(false);
  }
  const ofFunctions = allowing("lambda:UpdateEventSourceMapping").map(({ Condition }) => Condition);
  expect(ofFunctions).toMatchObject([{ ArnLike: { "lambda:FunctionArn": expect.any(Array) } }]);
  expect(JSON.stringify(ofFunctions)).toMatch(/function:workforce-full-intake"/);
  expect(JSON.stringify(ofFunctions)).not.toContain("*-");
});

test("whoever answers alarms reads queues of the stage alone, and moves messages back to those that may be redriven: no pin and no event can be forged", () => {
  const arns = full.all("AWS::SQS::Queue").map((each) => JSON.stringify(arnOf(each)));
  expect(new Set(reached("sqs:ReceiveMessage").map((each) => JSON.stringify(each)))).toEqual(new Set(arns));
  const redriven = queueNames.filter((name) => queues[name].redrive === "operator").toSorted();
  expect(redriven).not.toContain("pins");
  expect(redriven).not.toContain("events");
  const named = (action: string, suffix: string) =>
    reached(action).map((each) => (each as Arn)["Fn::GetAtt"][0].replace(/[0-9A-F]{8}$/, "").replace(suffix, ""));
  const [into, from] = [named("sqs:SendMessage", "Queue"), named("sqs:StartMessageMoveTask", "DeadLetters")];
  for (const names of [into, from]) expect(names.map((name) => name.toLowerCase()).toSorted()).toEqual(redriven);
});

test("whoever answers alarms reads the log of SMS that did not arrive, as the runbook says", () => {
  expect(page).toMatch(/log-group-name "sns\/\$AWS_REGION\/.*\/DirectPublishToPhoneNumber\/Failure"/);
  const group = "sns/eu-west-2/123456789012/DirectPublishToPhoneNumber/Failure";
  const arn = `arn:aws:logs:eu-west-2:123456789012:log-group:${group}`;
  expect(isAllowed("logs:FilterLogEvents", `${arn}:*`, undefined)).toBe(true);
});

test("what is distinguished by its tag has the stage's, copies of the table too", () => {
  const { all, one, functions } = full;
  const types = ["AWS::Logs::LogGroup", "AWS::CodeDeploy::DeploymentGroup"];
  for (const { id, properties } of [...types.flatMap(all), ...functions().values()])
    expect(properties.Tags, id).toContainEqual({ Key: "stage", Value: "full" });
  const { BackupPlanRule } = one("AWS::Backup::BackupPlan").properties.BackupPlan;
  const tags = BackupPlanRule.map((each: { RecoveryPointTags?: object }) => each.RecoveryPointTags);
  expect(tags).toEqual([{ stage: "full" }, { stage: "full" }]);
});

test("a stage that notifies nobody has no role for it", () => {
  const roles = stackOf("dev").all("AWS::IAM::Role");
  expect(JSON.stringify(roles.map(({ properties }) => properties.RoleName))).not.toMatch(/-on-call|-repair/);
});

interface Arn {
  readonly "Fn::GetAtt": readonly [string, string];
}

function reached(action: string): unknown[] {
  return allowing(action).flatMap(({ Resource }) => Resource);
}

function allowing(action: string): Statement[] {
  return statementsOf("Allow").filter(({ Action }) => [Action].flat().includes(action));
}

/** Whether a right reaches a resource that has the tag of a stage, or none. */
function isAllowed(action: string, arn: string, stage: string | undefined): boolean {
  return allowing(action).some(({ Resource, Condition = {} }) => {
    const { StringEquals: tags, ...others } = Condition as { StringEquals?: Record<string, string> };
    expect(others, action).toEqual({});
    if (tags && tags["aws:ResourceTag/stage"] !== stage) return false;
    return [Resource].flat().some((each) => patternOf(each).test(arn));
  });
}

function patternOf(arn: unknown): RegExp {
  const text =
    typeof arn === "string" ? arn : (arn as { "Fn::Join": [string, unknown[]] })["Fn::Join"][1].map(textOf).join("");
  return new RegExp(`^${text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);
}

function textOf(part: unknown): string {
  return typeof part === "string" ? part : "aws";
}

function statementsOf(effect: "Allow" | "Deny"): Statement[] {
  return role.Policies[0].PolicyDocument.Statement.filter(({ Effect }: Statement) => Effect === effect);
}
