import { App, Stack } from "aws-cdk-lib";
import { expect, test } from "vitest";
import { EmailSending } from "../../infra/constructs/messages/email-sending.ts";
import { findStage, stageNames } from "../../infra/stages/stages.ts";
import { fullStage, ownedStage } from "../support/service/owned-stage.ts";
import { readStack, stackOf } from "./stack.ts";

const senders = ["deliver-pin", "notify-password-changed"];

test.each(stageNames)("%s sends e-mail over TLS alone, and not again to who bounced or complained", (name) => {
  const { all, functions } = stackOf(name);
  const [set, ...others] = all("AWS::SES::ConfigurationSet");
  expect(others).toEqual([]);
  expect(set?.properties).toMatchObject({
    DeliveryOptions: { TlsPolicy: "REQUIRE" },
    ReputationOptions: { ReputationMetricsEnabled: true },
    SuppressionOptions: { SuppressedReasons: ["BOUNCE", "COMPLAINT"] },
  });
  for (const sender of senders) {
    const { CONFIGURATION_SET } = functions().get(sender)?.properties.Environment.Variables ?? {};
    expect(CONFIGURATION_SET, sender).toEqual({ Ref: set?.id });
  }
});

test.each(stageNames)("%s counts bounces and complaints in CloudWatch", (name) => {
  const [destination] = stackOf(name).all("AWS::SES::ConfigurationSetEventDestination");
  const { Enabled, MatchingEventTypes, CloudWatchDestination } = destination?.properties.EventDestination ?? {};
  expect(Enabled).toBe(true);
  expect(MatchingEventTypes).toEqual(expect.arrayContaining(["bounce", "complaint"]));
  expect(CloudWatchDestination.DimensionConfigurations).toHaveLength(1);
});

test.each([
  "staging",
  "prod",
])("%s verifies its domain, and the outputs are the three DNS records that prove it", (name) => {
  const { all, template } = stackOf(name);
  const [identity] = all("AWS::SES::EmailIdentity");
  const [, domain] = ownedStage(name).senderAddress.split("@");
  expect(identity?.properties.EmailIdentity).toBe(domain);
  const { Outputs } = template as { Outputs: Record<string, { Value: unknown }> };
  for (const number of [1, 2, 3]) {
    const value = JSON.stringify(Outputs[`DkimRecord${number}`]?.Value);
    for (const part of ["Name", "Value"]) expect(value).toContain(`"DkimDNSToken${part}${number}"`);
  }
});

test("dev verifies its address alone; a stage that has an identity already makes none", () => {
  const [identity] = stackOf("dev").all("AWS::SES::EmailIdentity");
  expect(identity?.properties.EmailIdentity).toBe(findStage("dev").senderAddress);
  expect(() => stackOf("full").all("AWS::SES::EmailIdentity")).toThrow();
});

test.each([
  "staging",
  "prod",
  "full",
])("%s sends from its own identity and by its own configuration set, and no other", (name) => {
  const { senderAddress, senderIdentity } = name === "full" ? fullStage : ownedStage(name);
  const [, domain = ""] = senderAddress.split("@");
  const identities = senderIdentity === "existing" ? [domain, senderAddress] : [domain];
  for (const { Resource, Condition } of sendingRights(name)) {
    const wanted = [...identities.map((identity) => `:identity/${identity}`), ":configuration-set/"];
    expect(Resource.map(lastPart).toSorted()).toEqual(wanted.toSorted());
    expect(Condition).toEqual({ StringEquals: { "ses:FromAddress": senderAddress } });
  }
});

test("dev, which may be in SES's sandbox, may write to every identity there, but from its own address alone", () => {
  for (const { Resource, Condition } of sendingRights("dev")) {
    expect(Resource.map(lastPart).toSorted()).toEqual([":configuration-set/", ":identity/*"]);
    expect(Condition).toEqual({ StringEquals: { "ses:FromAddress": findStage("dev").senderAddress } });
  }
});

test("the account's limit on SMS is set by the stage that names one, and stays when the stage goes", () => {
  const calls = stackOf("full").all("Custom::AWS");
  const [attributes, ...others] = calls.filter(({ id }) => id.startsWith("SmsSpendLimitAttributes"));
  expect(others).toEqual([]);
  for (const { id, properties } of calls) expect(properties.Delete, id).toBeUndefined();
  for (const call of [attributes?.properties.Create, attributes?.properties.Update]) {
    const [role, ...others] = stackOf("full")
      .all("AWS::IAM::Role")
      .filter(({ id }) => id.startsWith("SmsSpendLimitDeliveryLogging"));
    expect(others).toEqual([]);
    const [before, { "Fn::GetAtt": arn }, after] = call["Fn::Join"][1];
    expect(arn).toEqual([role?.id, "Arn"]);
    expect(JSON.parse(`${before}ROLE${after}`)).toMatchObject({
      service: "SNS",
      action: "SetSMSAttributes",
      parameters: {
        attributes: {
          MonthlySpendLimit: "200",
          DefaultSMSType: "Transactional",
          DeliveryStatusIAMRole: "ROLE",
          DeliveryStatusSuccessSamplingRate: "0",
        },
      },
    });
  }
  for (const name of stageNames) expect(() => stackOf(name).all("Custom::AWS"), name).toThrow();
});

test("SMS that do not arrive are logged by a role that SNS alone may take", () => {
  const role = stackOf("full")
    .all("AWS::IAM::Role")
    .find(({ id }) => id.startsWith("SmsSpendLimitDeliveryLogging"));
  const statements = role?.properties.AssumeRolePolicyDocument.Statement;
  expect(statements).toMatchObject([{ Effect: "Allow", Principal: { Service: "sns.amazonaws.com" } }]);
});

test("the numbers of SMS that did not arrive are kept for two weeks, also those of the first", () => {
  const logGroupName = "sns/eu-west-2/123456789012/DirectPublishToPhoneNumber/Failure";
  const { all } = stackOf("full");
  const callOf = (id: string) => all("Custom::AWS").find((each) => each.id.startsWith(`SmsSpendLimit${id}`));
  const [log, retention, attributes] = ["FailureLog", "Retention", "Attributes"].map(callOf);
  for (const name of ["Create", "Update"]) {
    expect(JSON.parse(log?.properties[name])).toMatchObject({ action: "CreateLogGroup", parameters: { logGroupName } });
    expect(JSON.parse(retention?.properties[name])).toMatchObject({
      action: "PutRetentionPolicy",
      parameters: { logGroupName, retentionInDays: 14 },
    });
  }
  expect(retention?.dependsOn).toContain(log?.id);
  expect(attributes?.dependsOn).toContain(retention?.id);
});

test("a deploy goes through where SNS or another stage of the account has made the log of SMS that did not arrive", () => {
  const { all } = stackOf("full");
  const groups = all("AWS::Logs::LogGroup").map(({ properties }) => JSON.stringify(properties.LogGroupName ?? ""));
  expect(groups.filter((name) => name.includes("sns/"))).toEqual([]);
  const log = all("Custom::AWS").find(({ id }) => id.startsWith("SmsSpendLimitFailureLog"));
  expect(JSON.parse(log?.properties.Create)).toMatchObject({
    ignoreErrorCodesMatching: "ResourceAlreadyExistsException",
  });
});

test("what sends SMS knows the stage's registered sender, and the most that one may cost", () => {
  for (const sender of senders) {
    const { Variables } = stackOf("full").functions().get(sender)?.properties.Environment ?? {};
    expect(Variables, sender).toMatchObject({ SMS_SENDER_ID: "Harbour", SMS_MOST_DOLLARS: "0.25" });
  }
});

test.each(["staging", "prod"])("the identity of %s outlasts its stack, as another stage may send by it", (name) => {
  const [identity] = stackOf(name).all("AWS::SES::EmailIdentity");
  expect([identity?.deletionPolicy, identity?.updateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
});

test("an identity of a single address outlasts its stack, too, where the stage keeps its data", () => {
  const app = new App();
  new EmailSending(new Stack(app, "Stack"), "Emails", { ...ownedStage("prod"), senderIdentity: "address" });
  const { all } = readStack(app.synth().getStackByName("Stack").template);
  const [identity] = all("AWS::SES::EmailIdentity");
  expect([identity?.deletionPolicy, identity?.updateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
});

test("mails bear the stage's own domain where mailboxes look for it, and the outputs are the records for that", () => {
  const { all, template } = stackOf("prod");
  const [, domain] = ownedStage("prod").senderAddress.split("@");
  expect(all("AWS::SES::EmailIdentity")[0]?.properties.MailFromAttributes).toMatchObject({
    MailFromDomain: `mail.${domain}`,
  });
  const { Outputs } = template as { Outputs: Record<string, { Value: unknown }> };
  for (const [name, part] of [
    ["MailFromMx", `mail.${domain} MX 10 feedback-smtp.`],
    ["MailFromSpf", `mail.${domain} TXT`],
    ["Dmarc", `_dmarc.${domain} TXT`],
  ] as const)
    expect(JSON.stringify(Outputs[name]?.Value), name).toContain(part);
});

/** The rights to send e-mail in a stage: one statement for each function that does. */
function sendingRights(name: string): { Resource: unknown[]; Condition: unknown }[] {
  const rights = senders.flatMap((sender) =>
    stackOf(name)
      .rightsOf(sender)
      .filter(({ Action }) => Action === "ses:SendEmail"),
  );
  expect(rights).toHaveLength(senders.length);
  return rights.map(({ Resource, Condition }) => ({ Resource: [Resource].flat(), Condition }));
}

/** The end of an ARN, which is written in the template. */
function lastPart(arn: unknown): string | undefined {
  if (typeof arn === "string") return arn.slice(arn.lastIndexOf(":"));
  const {
    "Fn::Join": [, parts],
  } = arn as { "Fn::Join": [string, unknown[]] };
  const last = parts.findLast((part): part is string => typeof part === "string");
  return last?.slice(last.lastIndexOf(":"));
}
