import { expect, test } from "vitest";
import { stageNames } from "../../infra/stages/stages.ts";
import { findSynthesis } from "./stack.ts";
import type { Finding } from "./synthesize-stages.ts";

/** The findings of cdk-nag that are on purpose: the reason, and the rule with its place. */
const acknowledged: Readonly<Record<string, RegExp>> = {
  "What the key has hashed, pins and passcodes, would be lost with a new one": /^SMG4 .*\/HmacKey\/Secret\//,
  "A function of the stack replaces the keys every 30 days, in steps that Secrets Manager's own rotation lacks":
    /^SMG4 .*\/SigningKeys\/Secret\//,
  "CloudFront learns a new one by a deploy alone: the runbook has the steps": /^SMG4 .*\/EdgeSecret\/Secret\//,
  "Its users may travel": /^CFR1 .*\/Edge\/Distribution\//,
  "CloudFront would log whole queries, pins among them; the API and the firewall have logs and samples of their own":
    /^CFR3 .*\/Edge\/Distribution\//,
  "It is itself where the others' dead letters end": /^SQS3 .*\/(StreamQuarantine\/Queue|IntakeBus\/Undelivered)\//,
  "Every function checks the token itself, by the access that its contract names; attacks/ holds it to that":
    /^APIG4 .*\/[a-z-]+\/(?:Route|Head)\//,
  "The documentation page is for anyone, and its function has no right to anything":
    /^APIG4 .*\/get-docs\/(?:Start|Page|Files|Overview|Journeys)\//,
  "A schedule may call every version of its one function":
    /^IAM5\[Resource::<(?:rotatesigningkeyFunction\w+\.Arn>:\*\] .*\/rotate-signing-key|markoverdueFunction\w+\.Arn>:\*\] .*\/mark-overdue)\/Daily\/Role\//,
  "SES's sandbox asks for the recipients' identities; a condition holds the sender":
    /^IAM5\[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity\/\*\] .*\/(deliver-pin|notify-password-changed)\/Role\//,
  "A trace of X-Ray has no ARN": /^IAM5\[Resource::\*\] Workforce-(staging|prod|full)\/[a-z-]+\/Role\//,
  "AWS End User Messaging takes these calls from SNS alone, in the role's name":
    /^IAM5\[Resource::\*\] .*\/(deliver-pin|notify-password-changed)\/Role\//,
  "CodeDeploy asks for all alarms at once": /^IAM5\[Resource::\*\] .*\/Releases\/Role\//,
  "What AWS Backup needs for a table is AWS's own to change":
    /^IAM4\[.*\/AWSBackupServiceRolePolicyForBackup\] .*\/Backups\//,
  "What AWS Backup needs to restore a table is AWS's own to change":
    /^IAM4\[.*\/AWSBackupServiceRolePolicyForRestores\] .*\/Backups\/RestoreRole\//,
  "Whoever answers alarms reads what the stage's prefix names; roles.test.ts holds the role to that":
    /^IAM5\[.* .*\/OnCall\/Role\//,
  "A list of streams is of all that the table has had":
    /^IAM5\[Resource::<RecordsTable\w+\.Arn>\/stream\/\*\] .*\/(keep-history|notify)\/Role\//,
  "SES's suppression list has no ARN; roles.test.ts holds the rest of the role":
    /^IAM5\[Resource::\*\] .*\/Repair\/Role\//,
  "Endpoints get their names when devices register; they lie under the stage's own applications":
    /^IAM5\[Resource::arn:aws:sns:.*:endpoint\/\w+\/workforce\/\*\] .*\/send-pushes\/Role\//,
};

const all = [...stageNames, "full"];

test.each(all)("cdk-nag finds nothing in %s but what is so on purpose", (name) => {
  const { findings } = findSynthesis(name);
  expect(findings.length).toBeGreaterThan(0);
  const texts = findings.map(textOf);
  expect(texts.filter((text) => !Object.values(acknowledged).some((each) => each.test(text)))).toEqual([]);
});

test("nothing is acknowledged that no stage has", () => {
  const texts = all.flatMap((name) => findSynthesis(name).findings).map(textOf);
  expect(Object.entries(acknowledged).filter(([, each]) => !texts.some((text) => each.test(text)))).toEqual([]);
});

function textOf({ rule, path }: Finding): string {
  return `${rule.replace("AwsSolutions-", "")} ${path}`;
}
