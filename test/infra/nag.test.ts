import { expect, test } from "vitest";
import { stageNames } from "../../infra/stages/stages.ts";
import { findSynthesis, stackOf } from "./stack.ts";

interface Acknowledgement {
  readonly rule: RegExp;
  readonly where: RegExp;
  readonly reason: string;
}

/** What cdk-nag finds fault with and is so on purpose. */
const acknowledged: readonly Acknowledgement[] = [
  {
    rule: /^AwsSolutions-SMG4$/,
    where: /\/HmacKey\/Secret\//,
    reason: "What the key has hashed, pins and passcodes, would be lost with a new one",
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    where: /\/SigningKeys\/Secret\//,
    reason:
      "A function of the stack replaces the keys every 30 days, in steps that Secrets Manager's own rotation lacks",
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    where: /\/Webhooks\/Keys\/Secret\//,
    reason: "Receivers learn a new secret from a person alone: npm run webhooks replaces each while both sign",
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    where: /\/Webhooks\/Keys\/Secret\//,
    reason: "Receivers learn a new secret from a person alone: npm run webhooks replaces each while both sign",
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    where: /\/EdgeSecret\/Secret\//,
    reason: "CloudFront learns a new one by a deploy alone: the runbook has the steps",
  },
  {
    rule: /^AwsSolutions-SMG4$/,
    where: /\/TestPin\/Secret\//,
    reason: "Reviewers hold it for weeks; it ends with the test logins, at most 90 days after",
  },
  {
    rule: /^AwsSolutions-CFR1$/,
    where: /\/Edge\/Distribution\//,
    reason: "Its users may travel",
  },
  {
    rule: /^AwsSolutions-CFR3$/,
    where: /\/Edge\/Distribution\//,
    reason:
      "CloudFront would log whole queries, pins among them; the API and the firewall have logs and samples of their own",
  },
  {
    rule: /^AwsSolutions-SQS3$/,
    where: /\/(StreamQuarantine\/Queue|IntakeBus\/Undelivered)\//,
    reason: "It is itself where the others' dead letters end",
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    where: /\/[a-z-]+\/Route\//,
    reason: "Every function checks the token itself, by the access that its contract names; attacks/ holds it to that",
  },
  {
    rule: /^AwsSolutions-APIG4$/,
    where: /\/get-docs\/(?:Start|Page|Files)\//,
    reason: "The documentation page is for anyone, and its function has no right to anything",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::<(rotatesigningkey|markoverdue|recountlists)Function\w+\.Arn>:\*\]$/,
    where: /\/SchedulerRoleForTarget-/,
    reason: "A schedule may call every version of its one function",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity\/\*\]$/,
    where: /\/(deliver-pin|notify-password-changed)\/Role\//,
    reason: "SES's sandbox asks for the recipients' identities; a condition holds the sender",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /^Workforce-(staging|prod|full)\/\w+\/[a-z-]+\/Role\//,
    reason: "A trace of X-Ray has no ARN",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /\/Releases\/Role\//,
    reason: "CodeDeploy asks for all alarms at once",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::\*\]$/,
    where: /\/SmsSpendLimit\//,
    reason: "The SMS attributes are the account's, and have no ARN",
  },
  {
    rule: /^AwsSolutions-IAM4\[.*\/AWSBackupServiceRolePolicyForBackup\]$/,
    where: /\/Backups\//,
    reason: "What AWS Backup needs for a table is AWS's own to change",
  },
  {
    rule: /^AwsSolutions-IAM4\[.*\/AWSBackupServiceRolePolicyForRestores\]$/,
    where: /\/Backups\/RestoreRole\//,
    reason: "What AWS Backup needs to restore a table is AWS's own to change",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:aws:logs:.*:log-group:sns\/\*\]$/,
    where: /\/SmsSpendLimit\/DeliveryLogging\//,
    reason: "SNS names the groups of its own log",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:aws:logs:.*:log-group:sns\/.*\/Failure:\*\]$/,
    where: /\/SmsSpendLimit\/(FailureLog|Retention)\//,
    reason: "CloudWatch names a log group with what is in it so",
  },
  {
    rule: /^AwsSolutions-IAM5\[/,
    where: /\/OnCall\/Role\//,
    reason: "Whoever answers alarms reads what the stage's prefix names; on-call.test.ts holds the role to that",
  },
  {
    rule: /^AwsSolutions-IAM4\[.*\/AWSLambdaBasicExecutionRole\]$/,
    where: /\/AWS679f53fac002430cb0da5b7982bd2287\//,
    reason: "The CDK's own function runs during a deploy alone",
  },
  {
    rule: /^AwsSolutions-IAM5\[Resource::arn:aws:sns:.*:endpoint\/\w+\/workforce\/\*\]$/,
    where: /\/send-pushes\/Role\//,
    reason: "Endpoints get their names when devices register; they lie under the stage's own applications",
  },
];

test.each([
  ...stageNames,
  "full",
])("no function of %s has a right to every resource but that to send traces", (name) => {
  const { functions, rightsOf } = stackOf(name);
  for (const operation of functions().keys()) {
    const everywhere = rightsOf(operation).filter(({ Resource }) => [Resource].flat().includes("*"));
    const actions = everywhere.flatMap(({ Action }) => Action ?? []);
    expect(
      actions.filter((action) => !action.startsWith("xray:")),
      operation,
    ).toEqual([]);
  }
});

const all = [...stageNames, "full"];

test.each(all)("cdk-nag finds nothing in %s but what is so on purpose", (name) => {
  const { findings } = findSynthesis(name);
  expect(findings.length).toBeGreaterThan(0);
  expect(
    findings.filter(({ rule, path }) => !acknowledged.some((each) => each.rule.test(rule) && each.where.test(path))),
  ).toEqual([]);
});

test("nothing is acknowledged that no stage has", () => {
  const findings = all.flatMap((name) => findSynthesis(name).findings);
  const unused = acknowledged.filter(
    (each) => !findings.some(({ rule, path }) => each.rule.test(rule) && each.where.test(path)),
  );
  expect(unused.map(({ rule, reason }) => `${rule} ${reason}`)).toEqual([]);
});
