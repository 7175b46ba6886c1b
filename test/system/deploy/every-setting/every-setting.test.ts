import { afterAll, beforeAll, expect, test } from "vitest";
import { alarmNameOf } from "../../../../infra/constructs/monitoring/runbook.ts";
import { FirewallStack } from "../../../../infra/firewall-stack.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { createApp } from "../../../../infra/synthesize.ts";
import { edgeSecretHeader, viewerAddressHeader } from "../../../../shared/http/sender.ts";
import { companyLine, invoiceLine, userLine } from "../../../support/records/records.ts";
import { useAccount } from "../account.ts";
import { writeStagesFile } from "../adopted-stage.ts";
import { requireDeployed } from "../deployed-resources.ts";
import { type DeployedStage, importLines, openStage, outputOf } from "../deployed-stage.ts";
import { account, region } from "../emulator.ts";
import { stageWithoutEdge, withEdge } from "./full-stage.ts";
import { readInvoices, user } from "./journey.ts";
import { setAlarm, testReleases } from "./release-journeys.ts";
import { testReleaseProbe } from "./release-probe.ts";
import { createReleases, type MakeRelease } from "./releases.ts";
import { testRemoval } from "./removal.ts";
import { testRestore } from "./restore.ts";
import { openShell, type Shell } from "./shell.ts";

const deploy = ["deploy", "--require-approval", "never"];
const names = namesOf(stageWithoutEdge.name);
const aws = useAccount("deploy-every-setting", stageWithoutEdge);
const { output } = aws;
const invoices = 3;
let release: MakeRelease;
let shell: Shell;
let stage: DeployedStage;
let settings = stageWithoutEdge;

beforeAll(async () => {
  release = await createReleases(output("bundles"));
  shell = await openShell(aws, settings.name);
});
afterAll(async () => {
  shell?.close();
  await stage?.close();
});

test("cdk bootstrap makes the account ready, in the region of firewalls too", async () => {
  const app = createApp({ outdir: output("firewall") });
  new FirewallStack(app, settings);
  app.synth();
  const places = [region, "us-east-1"].map((each) => `aws://${account}/${each}`);
  const { code, printed } = await aws.cdk(["bootstrap", ...places, "--app", output("firewall")]);
  expect(code, printed).toBe(0);
});

test("the firewall of an edge is deployed before its stage, and prints what the stage then names", async () => {
  const { code, printed } = await aws.cdk([...deploy, "--app", output("firewall")]);
  expect(code, printed).toBe(0);
  settings = withEdge(outputOf(printed, "WebAclArn"));
  process.env.WORKFORCE_STAGES = writeStagesFile(aws.directory, settings);
});

test("cdk deploy makes a stage with every setting", async () => {
  const app = release(settings, { name: "first" }, output("first"));
  const { code, printed } = await aws.cdk([...deploy, "--app", app]);
  expect(code, printed).toBe(0);
  await requireDeployed(names.stack, app);
  const host = settings.customDomain?.name ?? "";
  const headers = { [edgeSecretHeader]: await secretOfEdge(), [viewerAddressHeader]: "203.0.113.7:4711" };
  stage = await openStage(aws.emulator, printed, { host, headers });
});

test("a user signs in and lists invoices under the stage's own domain, through its edge", async () => {
  await importLines([
    companyLine(1),
    userLine(1, user),
    ...Array.from({ length: invoices }, (_, at) => invoiceOf(at + 1)),
  ]);
  await expect.poll(async () => (await readInvoices(stage)).total, { timeout: 30_000 }).toBe(String(invoices));
});

test("what shuts users out pages, and nothing else does", async () => {
  await setAlarm(aws, alarmNameOf(settings, "sign-in-faults"));
  const alarms = await shell("aws cloudwatch describe-alarms --alarm-types CompositeAlarm");
  const { CompositeAlarms } = JSON.parse(alarms);
  const states = CompositeAlarms.map((each: Record<string, string>) => [each.AlarmName, each.StateValue]);
  const isSummary = ([name = ""]: readonly string[]) => name.endsWith("-tomorrow");
  expect(new Set(states.filter(isSummary).map(([, state]: readonly string[]) => state))).toEqual(new Set(["OK"]));
  expect(Object.fromEntries(states.filter((each: readonly string[]) => !isSummary(each)))).toEqual({
    [alarmNameOf(settings, "common-cause")]: "OK",
    [alarmNameOf(settings, "sign-in-faults-page")]: "ALARM",
    [alarmNameOf(settings, "refresh-token-faults-page")]: "OK",
    [alarmNameOf(settings, "request-password-reset-faults-page")]: "OK",
    [alarmNameOf(settings, "deliver-pin-errors-page")]: "OK",
  });
});

testReleases({ aws, settings: () => settings, stage: () => stage, release: () => release });

testReleaseProbe({ aws, stage: stageWithoutEdge.name, shell: () => shell });

testRestore({
  aws,
  settings: () => settings,
  change: (changes) => {
    settings = { ...settings, ...changes };
    process.env.WORKFORCE_STAGES = writeStagesFile(aws.directory, settings);
  },
  stage: () => stage,
  release: () => release,
  shell: () => shell,
  importInvoice: (id) => importLines([invoiceOf(id)]),
  invoices,
});

test("no function wanted a right that its role does not have, and none failed", () => {
  expect(aws.emulator.refusals()).toEqual([]);
  expect(aws.emulator.log().match(/^.*"level":"error".*$/gm)).toBeNull();
});

testRemoval({ aws, settings: () => settings, shell: () => shell, app: output("restored") });

function invoiceOf(id: number): object {
  return invoiceLine(id, 1, { due_date: "2999-01-01" });
}

async function secretOfEdge(): Promise<string> {
  const id = "$(aws cloudfront list-distributions --query 'DistributionList.Items[0].Id' --output text)";
  const query = "DistributionConfig.Origins.Items[0].CustomHeaders.Items[0].[HeaderName,HeaderValue]";
  const [name, value = ""] = JSON.parse(
    await shell(`aws cloudfront get-distribution-config --id "${id}" --query '${query}'`),
  );
  expect(name).toBe(edgeSecretHeader);
  return value;
}
