import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { queues } from "../../../../infra/functions/queues.ts";
import { namesOf, tableNameOf } from "../../../../infra/stages/names.ts";
import { root } from "../../../../infra/support/root.ts";
import { noticeMessage, pushMessage } from "../../../../shared/messages/queue-messages.ts";
import { queueNames } from "../../../../shared/run/settings.ts";
import { commandsByRole, repairCommands } from "../../../system/runbook/commands-by-role.ts";
import { awsCommandsIn, runbookText } from "../../../system/runbook/shell-commands.ts";
import { arnOf, matches, type Resource, type Statement, stackOf, textOf } from "../../stack.ts";
import { fullStage } from "../../stages/owned-stage.ts";

const full = stackOf("full");
const page = runbookText();
const commands = awsCommandsIn(page);
const [onCall, repair] = [full.one("AWS::IAM::Role", "OnCallRole"), full.one("AWS::IAM::Role", "RepairRole")];
const roles = { "on call": onCall, repair };
const { region } = fullStage;

const [rota = "", permissionSet = ""] = fullStage.onCallPrincipals;
/** A permission set of a longer name than the stage's does not count as it. */
const namedPeople = [
  { ArnLike: { "aws:PrincipalArn": rota } },
  {
    ArnLike: { "aws:PrincipalArn": permissionSet },
    ArnNotLike: { "aws:PrincipalArn": permissionSet.replace(/_\*$/, "_*_*") },
  },
];

test("whoever answers alarms reads no secret and no stream, changes no live record, and has shown a second factor; repairs need no secret", () => {
  for (const role of [onCall, repair])
    expect(statementsOf("Deny", role)).toMatchObject([{ Action: "secretsmanager:*", Resource: "*" }]);
  const [withFactor, ...named] = onCall.properties.AssumeRolePolicyDocument.Statement;
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

/** The queues of the stage that a role for people may do something with, by their names in the service. */
const queuesFor = (action: string, role: Resource) =>
  reached(action, role).map((each) =>
    textOf(each)
      .replace(/(Queue|DeadLetters)$/, "")
      .toLowerCase(),
  );

test("whoever answers alarms reads and empties every queue of the stage, and no other", () => {
  const arns = full.all("AWS::SQS::Queue").map((each) => JSON.stringify(arnOf(each)));
  for (const action of ["sqs:ReceiveMessage", "sqs:DeleteMessage"])
    expect(new Set(reached(action).map((each) => JSON.stringify(each)))).toEqual(new Set(arns));
});

test.each([
  // Their messages name what is sent: no pin, no text, no record and no event can be forged with one.
  { role: "on call", by: "operator", redriven: ["notices", "pushes"] },
  // With these, which write records and texts, the role's alarm goes off.
  { role: "repair", by: "repair", redriven: ["intake", "notifications"] },
] as const)("the role $role moves dead letters back and sends messages to $redriven, and to no other queue", (row) => {
  const { role, by, redriven } = row;
  expect(queueNames.filter((name) => queues[name].redrive === by).toSorted()).toEqual(redriven);
  for (const action of ["sqs:SendMessage", "sqs:StartMessageMoveTask"])
    expect(queuesFor(action, roles[role]).toSorted()).toEqual(redriven);
});

test("the runbook says of each queue which worker consumes it and who redrives it", () => {
  const words = {
    operator: "the role on call",
    repair: "the repair role",
    administrator: "an administrator",
    never: "nobody",
  };
  const rows = [...page.matchAll(/^\| `(\w+)` \| `([\w-]+)` \| ([\w ]+) \|/gm)].map(([, ...row]) => row);
  for (const [name] of rows)
    for (const kind of ["Queue", "DeadLetters"]) expect(full.one("AWS::SQS::Queue", `${name}${kind}`)).toBeDefined();
  expect(rows.map(([name = "", ...row]) => [name.toLowerCase(), ...row])).toEqual(
    queueNames.map((name) => [name, queues[name].worker, words[queues[name].redrive]]),
  );
});

test("the repair role reads and deletes what it moves back: dead letters, and what EventBridge could not deliver", () => {
  for (const action of ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"])
    expect(queuesFor(action, repair).toSorted()).toEqual(["intake", "intakebusundelivered", "notifications"]);
});

test("messages of the queues that the role on call redrives name a user, a notification, an API key and moments alone", () => {
  expect(noticeMessage.options.map(({ entries }) => Object.keys(entries))).toEqual([
    ["userId", "changedAt", "endedKeys", "requestId"],
    ["userId", "keyId", "validTo", "access", "isMinted", "requestId"],
  ]);
  expect(Object.keys(pushMessage.entries)).toEqual(["userId", "notificationId", "requestId"]);
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

test("a session of the repair role ends after an hour, and begins in the stage's region alone", () => {
  expect(repair.properties).toMatchObject({ RoleName: namesOf("full").repairRole(region), MaxSessionDuration: 3_600 });
  const { Statement: trust } = repair.properties.AssumeRolePolicyDocument;
  expect(trust).toHaveLength(1 + fullStage.onCallPrincipals.length);
  for (const { Condition } of trust) expect(Condition.StringEquals).toEqual({ "aws:RequestedRegion": region });
});

test("IAM takes the trust policies of the roles for people, and their names, in every region", () => {
  for (const { AssumeRolePolicyDocument } of [repair.properties, onCall.properties])
    expect(JSON.stringify(AssumeRolePolicyDocument).length).toBeLessThan(2_048);
  const longest = namesOf("a".repeat(20));
  for (const name of [longest.repairRole, longest.onCallRole, longest.restoreRole])
    expect(name("ap-southeast-1").length).toBeLessThanOrEqual(64);
});

test("each time that it is taken counts, although AWS counts the call as reading; the alarm looks at the count", () => {
  const rule = full.one("AWS::Events::Rule", "RepairTaken").properties;
  expect(rule).toMatchObject({
    Name: namesOf("full").repairRule,
    State: "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS",
    EventPattern: {
      source: ["aws.sts"],
      "detail-type": ["AWS API Call via CloudTrail"],
      detail: { eventName: ["AssumeRole"], requestParameters: { roleArn: [{ "Fn::GetAtt": [repair.id, "Arn"] }] } },
    },
  });
  const alarms = full
    .all("AWS::CloudWatch::Alarm")
    .filter(({ properties }) => properties.MetricName === "MatchedEvents");
  expect(alarms.map(({ properties }) => properties)).toMatchObject([
    {
      Namespace: "AWS/Events",
      Dimensions: [{ Name: "RuleName", Value: namesOf("full").repairRule }],
      Threshold: 1,
      AlarmActions: [expect.anything()],
    },
  ]);
});

/** The commands of an administrator: no role that answers alarms at night has a right to them. */
const ofAdministrators = [
  "apigateway get-stage",
  "apigateway update-stage",
  "cloudwatch disable-alarm-actions",
  "cloudwatch enable-alarm-actions",
  "dynamodb update-contributor-insights",
  "dynamodbstreams get-records",
  "dynamodbstreams get-shard-iterator",
  "iam delete-role-policy",
  "iam put-role-policy",
  "iam update-access-key",
  "lambda get-function-configuration",
  "scheduler get-schedule",
  "scheduler update-schedule",
  "secretsmanager get-secret-value",
  "secretsmanager list-secret-version-ids",
  "secretsmanager put-secret-value",
  "secretsmanager update-secret-version-stage",
];

test("every command of the runbook is in the policy of a role for people, for some resource, or is an administrator's", () => {
  const refused = new Set(
    commands
      .filter((command) => !mayDo("on call", actionOf(command)) && !mayDo("repair", actionOf(command)))
      .map(nameOf),
  );
  const own = [...refused].filter((name) => name !== "sts get-caller-identity");
  expect(commands.length).toBeGreaterThan(30);
  expect(own.toSorted()).toEqual(ofAdministrators);
});

/** The chapters that somebody follows at night. Switching to another table is an administrator's, as its chapter says. */
const atNight =
  ["When an alarm fires", "What has no alarm", "Repair"]
    .map(chapterOf)
    .join("")
    .split(/^#{3} (?:Restore the table|Import an existing table)$/m)[0] ?? "";

test("every command that an alarm leads to is an administrator's, or the role that the runbook names may run it", () => {
  const found = commandsByRole(atNight);
  expect(new Set(found.map(({ role }) => role))).toEqual(new Set(["administrator", "on call", "repair"]));
  const refused = found.flatMap(({ role, words }) =>
    role === "administrator" || mayRun(role, words) ? [] : [`${role}: ${words.join(" ")}`],
  );
  expect(refused).toEqual([]);
});

type Role = keyof typeof roles;

function mayRun(role: Role, [program, service = "", ...words]: readonly string[]): boolean {
  if (program === "aws") return service === "sts" || mayDo(role, actionOf([service, ...words]));
  const [tool = ""] = words;
  if (program !== "npm") return false;
  if (role === "repair") return repairCommands.includes(tool);
  const actions = actionsOfTool(tool);
  return actions.length > 0 && actions.every((each) => mayDo(role, each));
}

/** The rights that a command of the project needs by the calls of AWS that its own files import. */
function actionsOfTool(tool: string): string[] {
  const files = globSync([`infra/tools/${tool}.ts`, `infra/tools/${tool}/*.ts`], { cwd: root });
  const imports = files.flatMap((file) => [
    ...readFileSync(join(root, file), "utf8").matchAll(/import \{([^}]*)\} from "@aws-sdk\/client-([\w-]+)"/g),
  ]);
  return imports.flatMap(([, names = "", client = ""]) =>
    [...names.matchAll(/(\w+)Command\b/g)].map(([, name = ""]) => `${client.replace("cloudwatch-", "")}:${name}`),
  );
}

function mayDo(role: Role, action: string): boolean {
  const allowed = statementsOf("Allow", roles[role]).flatMap(({ Action = [] }) => Action);
  return allowed.some((each) => each === action || (each.endsWith("*") && action.startsWith(each.slice(0, -1))));
}

function chapterOf(heading: string): string {
  const [, chapter = ""] = page.split(new RegExp(`^## ${heading}$`, "m"));
  const [text = ""] = chapter.split(/^## /m);
  expect(text.length, heading).toBeGreaterThan(100);
  return text;
}

function nameOf([service = "", operation = ""]: readonly string[]): string {
  return `${service.replace(/v2$/, "")} ${operation}`;
}

/** The services whose rights begin with another word than their commands. */
const prefixes: Readonly<Record<string, string>> = {
  dynamodbstreams: "dynamodb",
  deploy: "codedeploy",
  wafv2: "wafv2",
};

function actionOf([service = "", operation = ""]: readonly string[]): string {
  const pascal = operation.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  const prefix = prefixes[service] ?? service.replace(/v2$/, "");
  return `${prefix}:${pascal === "Invoke" ? "InvokeFunction" : pascal}`;
}

function reached(action: string, role = onCall): unknown[] {
  return allowing(action, role).flatMap(({ Resource }) => Resource);
}

function allowing(action: string, role = onCall): Statement[] {
  return statementsOf("Allow", role).filter(({ Action }) => [Action].flat().includes(action));
}

/** Whether a right reaches a resource that has the tag of a stage, or none. */
function isAllowed(action: string, arn: string, stage: string | undefined): boolean {
  return allowing(action).some(({ Resource, Condition = {} }) => {
    const { StringEquals: tags, ...others } = Condition as { StringEquals?: Record<string, string> };
    expect(others, action).toEqual({});
    if (tags && tags["aws:ResourceTag/stage"] !== stage) return false;
    return [Resource].flat().some((each) => matches(textOf(each), arn));
  });
}

function statementsOf(effect: "Allow" | "Deny", { properties } = onCall): Statement[] {
  return properties.Policies[0].PolicyDocument.Statement.filter(({ Effect }: Statement) => Effect === effect);
}
