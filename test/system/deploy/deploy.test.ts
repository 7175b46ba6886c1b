import { afterAll, expect, test } from "vitest";
import { namesOf } from "../../../infra/stages/names.ts";
import { useAccount } from "./account.ts";
import { adoptedStage, optionsOf, writeStagesFile } from "./adopted-stage.ts";
import { listFunctions, listSecrets, listTables, requireDeployed } from "./deployed-resources.ts";
import { type DeployedStage, openStage } from "./deployed-stage.ts";
import { account, region } from "./emulator.ts";
import { testExplain } from "./explained.ts";
import { testGaps } from "./gaps.ts";
import { testJourneys, testUpdate } from "./journeys.ts";
import { testOutbound } from "./outbound.ts";
import { runProgram } from "./program.ts";

// Nobody is there to approve rights.
const deploy = ["deploy", "--require-approval", "never"];
const names = namesOf(adoptedStage.name);
const nextServiceName = "Harbourside";
const aws = useAccount("deploy", adoptedStage);
const { output } = aws;
// As whoever takes the project has it: the stages are in a file of their own, outside the checkout.
const stagesFile = writeStagesFile(aws.directory, adoptedStage);
const ours = ["-c", `stages=${stagesFile}`, "-c", `stage=${adoptedStage.name}`];
let stage: DeployedStage;

afterAll(() => stage?.close());

test("a deploy into an account that is not bootstrapped is refused with what to do", async () => {
  // To validate a template takes longer than to make it: no other deploy does.
  const validated = { CDK_VALIDATION: "true" };
  const { code, printed } = await aws.cdk([...deploy, ...ours, "--output", output("first")], validated);
  expect(printed).toContain("Please run 'cdk bootstrap'");
  expect(code).not.toBe(0);
});

test("cdk bootstrap makes the account ready", async () => {
  const { code, printed } = await aws.cdk(["bootstrap", `aws://${account}/${region}`, "--app", output("first")]);
  expect(printed).toContain(`Environment aws://${account}/${region} bootstrapped.`);
  expect(code).toBe(0);
});

test("cdk deploy makes the whole service", async () => {
  // What was refused is deployed now; built from the sources again, it changes nothing (below).
  const { code, printed } = await aws.cdk([...deploy, "--app", output("first")]);
  expect(printed).toContain(`✅  ${names.stack}`);
  expect(code).toBe(0);
  stage = await openStage(aws.emulator, printed);
});

test("every resource of every template was made", () => requireDeployed(names.stack, output("first")));

testJourneys(() => stage);
testOutbound(() => stage);

test("the journeys that every stage takes go well", async () => {
  const [mails, sms] = ["ses/messages", "sns/sms-messages"].map(
    (path) => `${aws.emulator.clientEnvironment.AWS_ENDPOINT_URL}/_ministack/${path}`,
  );
  const inboxes = ["--inbox", mails ?? "", "--inbox", sms ?? ""];
  const named = ["--url", stage.baseUrl, ...optionsOf(adoptedStage, aws.directory)];
  const call = ["test/system/journeys/journeys.ts", ...named, ...inboxes];
  const { code, output: printed } = await runProgram(process.execPath, call, process.env, 240_000);
  expect(code, printed.slice(-3_000)).toBe(0);
});

test("cdk deploy of the same changes nothing, account and region named or not", async () => {
  writeStagesFile(aws.directory, { ...adoptedStage, account, region });
  const { code, printed } = await aws.cdk([...deploy, ...ours, "--output", output("again")]);
  expect(printed).toContain(`${names.stack} (no changes)`);
  expect(code).toBe(0);
});

testUpdate(
  () => stage,
  async () => {
    const app = `node test/system/deploy/changed-app.ts "${nextServiceName}"`;
    const changed = ["--app", app, "--output", output("changed")];
    const { code, printed } = await aws.cdk([...deploy, ...changed]);
    expect(printed).toContain(`✅  ${names.stack}`);
    expect(code).toBe(0);
    return nextServiceName;
  },
);

test("the update made and removed every resource that its templates changed", () =>
  requireDeployed(names.stack, output("changed")));

testGaps(() => stage);

test("no function wanted a right that its role does not have, and none failed", () => {
  expect(aws.emulator.refusals()).toEqual([]);
  expect(aws.emulator.log()).toContain('"message":"processed"');
  expect(aws.emulator.log().match(/^.*"level":"error".*$/gm)).toBeNull();
});

testExplain(() => stage, optionsOf(adoptedStage, aws.directory));

test("cdk destroy removes everything, as the stage wants it", async () => {
  const { code, printed } = await aws.cdk(["destroy", "--force", "--app", output("changed")]);
  expect(printed).toContain(`${names.stack}: destroyed`);
  expect(code).toBe(0);
  expect([await listTables(), await listSecrets(), await listFunctions()]).toEqual([[], [], []]);
});
