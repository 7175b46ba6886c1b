import { Stack } from "aws-cdk-lib";
import { expect, test } from "vitest";
import { EmailSending } from "../../../../infra/constructs/messages/email-sending.ts";
import { findStage, stageNames } from "../../../../infra/stages/stages.ts";
import { stackBeside, stackOf, textOf, useStack } from "../../stack.ts";
import { fullStage, ownedStage } from "../../stages/owned-stage.ts";

const full = stackOf("full");
const senders = ["deliver-pin", "notify-password-changed"];

test.each(
  stageNames,
)("%s sends e-mail over TLS alone, and to those it comes back from no more; with alarms it counts", (name) => {
  const { one, functions } = stackOf(name);
  const isWatched = ownedStage(name).alarmAddress !== undefined;
  const set = one("AWS::SES::ConfigurationSet");
  expect(set.properties).toMatchObject({
    DeliveryOptions: { TlsPolicy: "REQUIRE" },
    ReputationOptions: { ReputationMetricsEnabled: isWatched },
    SuppressionOptions: { SuppressedReasons: ["BOUNCE", "COMPLAINT"] },
  });
  for (const sender of senders) {
    const { Variables } = functions().get(sender)?.properties.Environment ?? {};
    const wanted = { CONFIGURATION_SET: { Ref: set.id }, SENDER_ADDRESS: ownedStage(name).senderAddress };
    expect(Variables, sender).toMatchObject(wanted);
  }
  if (!isWatched) return;
  expect(one("AWS::SES::ConfigurationSetEventDestination").properties.EventDestination).toMatchObject({
    Enabled: true,
    MatchingEventTypes: ["reject"],
    CloudWatchDestination: { DimensionConfigurations: [expect.any(Object)] },
  });
});

test.each([
  "staging",
  "prod",
])("%s verifies its domain, which outlasts the stack; the outputs are the DNS records", (name) => {
  const { one, template } = stackOf(name);
  const { properties, deletionPolicy, updateReplacePolicy } = one("AWS::SES::EmailIdentity");
  const [, domain] = ownedStage(name).senderAddress.split("@");
  expect(properties.EmailIdentity).toBe(domain);
  expect(properties.MailFromAttributes).toMatchObject({ MailFromDomain: `mail.${domain}` });
  // Another stage may send by it.
  expect([deletionPolicy, updateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
  const dkim = [1, 2, 3].flatMap((number) =>
    ["Name", "Value"].map((part) => [`DkimRecord${number}`, `"DkimDNSToken${part}${number}"`]),
  );
  for (const [output = "", part] of [
    ...dkim,
    ["MailFromMx", `mail.${domain} MX 10 feedback-smtp.`],
    ["MailFromSpf", `mail.${domain} TXT`],
    ["Dmarc", `_dmarc.${domain} TXT`],
  ])
    expect(JSON.stringify(template.Outputs?.[output]?.Value), output).toContain(part);
});

test("dev verifies its address alone; a stage that has an identity already makes none", () => {
  expect(stackOf("dev").one("AWS::SES::EmailIdentity").properties.EmailIdentity).toBe(findStage("dev").senderAddress);
  expect(() => full.all("AWS::SES::EmailIdentity")).toThrow();
});

test("an identity of a single address outlasts its stack, too, where the stage keeps its data", () => {
  const { one } = stackBeside((app) => {
    const made = new Stack(app, "Stack");
    new EmailSending(made, "Emails", { ...ownedStage("prod"), senderIdentity: "address" });
    return made;
  });
  const { deletionPolicy, updateReplacePolicy } = one("AWS::SES::EmailIdentity");
  expect([deletionPolicy, updateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
});

const domainOf = (address: string) => address.replace(/^.*@/, "identity/");
test.each([
  // SES's sandbox asks for the recipients' identities, too.
  { stage: findStage("dev"), identities: ["identity/*"] },
  ...["staging", "prod"].map((name) => ({
    stage: ownedStage(name),
    identities: [domainOf(ownedStage(name).senderAddress)],
  })),
  { stage: fullStage, identities: [domainOf(fullStage.senderAddress), `identity/${fullStage.senderAddress}`] },
])("$stage.name sends from its own address and by its own configuration set, and no other", ({ stage, identities }) => {
  const { rightsOf } = stackOf(stage.name);
  for (const sender of senders) {
    const rights = rightsOf(sender).filter(({ Action }) => Action === "ses:SendEmail");
    const reached = rights.flatMap(({ Resource }) => Resource).map((arn) => textOf(arn).replace(/^.*:/, ""));
    expect(reached.toSorted(), sender).toEqual(["configuration-set/EmailsConfigurationSet", ...identities].toSorted());
    const Condition = { StringEquals: { "ses:FromAddress": stage.senderAddress } };
    expect(rights.map((each) => each.Condition)).toEqual([Condition]);
  }
});

test("functions that send SMS know the stage's registered sender, and the most that one SMS may cost", () => {
  for (const sender of senders) {
    const { Variables } = full.functions().get(sender)?.properties.Environment ?? {};
    expect(Variables, sender).toMatchObject({ SMS_SENDER_ID: "Harbour", SMS_MOST_DOLLARS: "0.25" });
  }
});

test("D29: pushes go to the stage's own applications and the endpoints under them, and nowhere else; without any, nowhere", async () => {
  const { rights } = await useStack();
  const applications = Object.values(findStage("local").platformApplications ?? {}).toSorted();
  expect(applications).toHaveLength(3);
  expect(pushRights(rights())).toEqual([
    {
      Effect: "Allow",
      Action: ["sns:CreatePlatformEndpoint", "sns:DeleteEndpoint", "sns:Publish", "sns:SetEndpointAttributes"],
      Resource: [...applications, ...applications.map((arn) => `${arn.replace(":app/", ":endpoint/")}/*`)],
    },
  ]);
  expect(findStage("dev").platformApplications).toBeUndefined();
  expect(pushRights(stackOf("dev").rights())).toEqual([]);
});

function pushRights(rights: ReturnType<typeof full.rights>) {
  const isNamed = (action = "") => action.startsWith("sns:");
  return [...rights.values()]
    .flat()
    .filter(({ Action, Resource }) => Resource !== undefined && [Action].flat().some(isNamed));
}
