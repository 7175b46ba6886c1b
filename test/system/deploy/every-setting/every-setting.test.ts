import { afterAll, beforeAll, expect, test } from "vitest";
import { alarmNameOf } from "../../../../infra/constructs/monitoring/runbook.ts";
import { FirewallStack } from "../../../../infra/firewall-stack.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { createApp } from "../../../../infra/synthesize.ts";
import { edgeSecretHeader, viewerAddressHeader } from "../../../../shared/http/event.ts";
import { companyLine, userLine } from "../../../support/records/records.ts";
import { useAccount } from "../account.ts";
import { requireDeployed } from "../deployed-resources.ts";
import { importLines, openStage, outputOf } from "../deployed-stage.ts";
import { account, region } from "../emulator.ts";
import { stageWithoutEdge, withEdge } from "./full-stage.ts";
import { invoiceOf, invoices, readInvoices, user } from "./journey.ts";
import { changeSettings, deployRelease, type Place } from "./place.ts";
import { createReleases } from "./releases.ts";
import { testRemoval } from "./removal.ts";
import { testRestore } from "./restore.ts";
import { testSettingsBack } from "./settings-back.ts";
import { openShell } from "./shell.ts";

const aws = useAccount("deploy-every-setting", stageWithoutEdge);
const { output } = aws;
const place = { aws, settings: stageWithoutEdge } as Place;

beforeAll(async () => {
  place.release = await createReleases(output("bundles"));
  place.shell = await openShell(aws, place.settings.name);
});
afterAll(async () => {
  place.shell?.close();
  await place.stage?.close();
});

test("cdk bootstrap makes the account ready, in the region of firewalls too", async () => {
  const app = createApp({ outdir: output("firewall") });
  new FirewallStack(app, place.settings);
  app.synth();
  const places = [region, "us-east-1"].map((each) => `aws://${account}/${each}`);
  const { code, printed } = await aws.cdk(["bootstrap", ...places, "--app", output("firewall")]);
  expect(code, printed).toBe(0);
});

test("the firewall of an edge is deployed before its stage, and prints what the stage then names", async () => {
  const { code, printed } = await aws.cdk(["deploy", "--require-approval", "never", "--app", output("firewall")]);
  expect(code, printed).toBe(0);
  changeSettings(place, withEdge(outputOf(printed, "WebAclArn")));
});

test("cdk deploy makes a stage with every setting", async () => {
  const { code, printed } = await deployRelease(place, "first");
  expect(code, printed).toBe(0);
  const { name, customDomain } = place.settings;
  await requireDeployed(namesOf(name).stack, output("first"));
  const host = customDomain?.name ?? "";
  const headers = { [edgeSecretHeader]: await secretOfEdge(), [viewerAddressHeader]: "203.0.113.7:4711" };
  place.stage = await openStage(aws.emulator, printed, { host, headers });
});

test("a user signs in and lists invoices under the stage's own domain, through its edge", async () => {
  await importLines([
    companyLine(1),
    userLine(1, user),
    ...Array.from({ length: invoices }, (_, at) => invoiceOf(at + 1)),
  ]);
  await expect.poll(async () => (await readInvoices(place.stage)).total, { timeout: 30_000 }).toBe(String(invoices));
});

test("what shuts users out pages, and nothing else does", async () => {
  const { settings } = place;
  const alarm = alarmNameOf(settings, "sign-in-faults");
  await place.shell(`aws cloudwatch set-alarm-state --alarm-name ${alarm} --state-value ALARM --state-reason test`);
  const alarms = await place.shell("aws cloudwatch describe-alarms --alarm-types CompositeAlarm");
  const { CompositeAlarms } = JSON.parse(alarms);
  const states = CompositeAlarms.map((each: Record<string, string>) => [each.AlarmName, each.StateValue]);
  expect(Object.fromEntries(states)).toEqual({
    [alarmNameOf(settings, "sign-in-faults-page")]: "ALARM",
    [alarmNameOf(settings, "refresh-token-faults-page")]: "OK",
    [alarmNameOf(settings, "request-password-reset-faults-page")]: "OK",
    [alarmNameOf(settings, "deliver-pin-errors-page")]: "OK",
  });
});

testRestore(place);
testSettingsBack(place);

test("no function wanted a right that its role does not have, and none failed", () => {
  expect(aws.emulator.refusals()).toEqual([]);
  expect(aws.emulator.log().match(/^.*"level":"error".*$/gm)).toBeNull();
});

testRemoval(place, output("restored"));

async function secretOfEdge(): Promise<string> {
  const id = "$(aws cloudfront list-distributions --query 'DistributionList.Items[0].Id' --output text)";
  const query = "DistributionConfig.Origins.Items[0].CustomHeaders.Items[0].[HeaderName,HeaderValue]";
  const [name, value = ""] = JSON.parse(
    await place.shell(`aws cloudfront get-distribution-config --id "${id}" --query '${query}'`),
  );
  expect(name).toBe(edgeSecretHeader);
  return value;
}
