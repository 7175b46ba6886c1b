import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { LambdaClient, ListFunctionsCommand } from "@aws-sdk/client-lambda";
import { ListSecretsCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, expect, test } from "vitest";
import { namesOf } from "../../../infra/stages/names.ts";
import { countResources, readWholeTemplate } from "../../../infra/whole-template.ts";
import { adoptedStage, writeStagesFile } from "./adopted-stage.ts";
import { type Cdk, createCdk } from "./cdk.ts";
import { countDeployed } from "./deployed-resources.ts";
import { type DeployedStage, openStage } from "./deployed-stage.ts";
import { account, type Emulator, region, startEmulator } from "./emulator.ts";
import { testGaps } from "./gaps.ts";
import { testJourneys, testUpdate } from "./journeys.ts";
import { root, runProgram } from "./program.ts";

const directory = mkdtempSync(join(tmpdir(), "workforce-deploy-"));
// What was printed stays, for whoever looks for the reason of a failure.
const kept = join(root, ".local/deploy");
const output = (use: string) => join(directory, use);
// Nobody is there to approve rights.
const deploy = ["deploy", "--require-approval", "never"];
const names = namesOf(adoptedStage.name);
// As whoever takes the project has it: the stages are in a file of their own, outside the checkout.
const stagesFile = writeStagesFile(directory);
const stageNamed = (name: string) => ["-c", `stages=${stagesFile}`, "-c", `stage=${name}`];
const ours = stageNamed(adoptedStage.name);
const nextServiceName = "Harbourside";
let emulator: Emulator;
let cdk: Cdk;
let stage: DeployedStage;

beforeAll(async () => {
  emulator = await startEmulator(directory);
  cdk = createCdk(emulator, directory);
  // This process is a client of the emulator too, as the import is.
  const settings = {
    WORKFORCE_STAGES: stagesFile,
    TABLE_NAME: names.table,
    HMAC_SECRET_ARN: names.hmacSecret,
    DEFAULT_COUNTRY: "GB",
  };
  Object.assign(process.env, emulator.clientEnvironment, settings);
});

afterAll(async () => {
  await stage?.close();
  await emulator?.close();
  mkdirSync(kept, { recursive: true });
  for (const log of ["emulator.log", "cdk.log"]) copyFileSync(join(directory, log), join(kept, log));
  rmSync(directory, { recursive: true, force: true });
});

test("a stage that does not exist is refused with the names of those that the file has", async () => {
  const { code, printed } = await cdk(["deploy", ...stageNamed("production"), "--output", output("unknown")]);
  expect(printed).toContain(`There is no stage "production" in ${stagesFile}; the stages are ${adoptedStage.name}.`);
  expect(code).not.toBe(0);
});

test("a deploy into an account that is not bootstrapped is refused with what to do", async () => {
  const { code, printed } = await cdk([...deploy, ...ours, "--output", output("first")]);
  expect(printed).toContain("Please run 'cdk bootstrap'");
  expect(code).not.toBe(0);
});

test("cdk bootstrap makes the account ready", async () => {
  const { code, printed } = await cdk(["bootstrap", `aws://${account}/${region}`, "--app", output("first")]);
  expect(printed).toContain(`Environment aws://${account}/${region} bootstrapped.`);
  expect(code).toBe(0);
});

test("cdk deploy makes the whole service", async () => {
  const { code, printed } = await cdk([...deploy, ...ours, "--output", output("deploy")]);
  expect(printed).toContain(`✅  ${names.stack}`);
  expect(code).toBe(0);
  stage = await openStage(emulator, printed);
});

test("every resource of every template was made", () => requireDeployed("deploy"));

testJourneys(() => stage);

test("the journeys that every stage takes go well", async () => {
  const [mails, sms] = ["ses/messages", "sns/sms-messages"].map(
    (path) => `${emulator.clientEnvironment.AWS_ENDPOINT_URL}/_ministack/${path}`,
  );
  const inboxes = ["--inbox", mails ?? "", "--inbox", sms ?? ""];
  const call = ["test/system/journeys/journeys.ts", "--url", stage.baseUrl, "--stage", adoptedStage.name, ...inboxes];
  const { code, output: printed } = await runProgram(process.execPath, call, process.env, 240_000);
  expect(code, printed.slice(-3_000)).toBe(0);
});

test("cdk deploy of the same changes nothing", async () => {
  const { code, printed } = await cdk([...deploy, ...ours, "--output", output("again")]);
  expect(printed).toContain(`${names.stack} (no changes)`);
  expect(code).toBe(0);
});

testUpdate(
  () => stage,
  async () => {
    const app = `node test/system/deploy/changed-app.ts "${nextServiceName}"`;
    const changed = ["--app", app, "--output", output("changed")];
    const { code, printed } = await cdk([...deploy, ...changed], { WORKFORCE_STAGES: stagesFile });
    expect(printed).toContain(`✅  ${names.stack}`);
    expect(code).toBe(0);
    return nextServiceName;
  },
);

test("the update made and removed every resource that its templates changed", () => requireDeployed("changed"));

testGaps(() => stage);

test("no function wanted a right that its role does not have, and none failed", () => {
  expect(emulator.refusals()).toEqual([]);
  expect(emulator.log()).toContain('"message":"processed"');
  expect(emulator.log().match(/^.*"level":"error".*$/gm)).toBeNull();
});

test("cdk destroy removes everything, as the stage wants it", async () => {
  const { code, printed } = await cdk(["destroy", "--force", "--app", output("changed")]);
  expect(printed).toContain(`${names.stack}: destroyed`);
  expect(code).toBe(0);
  const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand());
  expect(TableNames).toEqual([]);
  const { SecretList } = await new SecretsManagerClient().send(new ListSecretsCommand());
  expect(SecretList).toEqual([]);
  const { Functions } = await new LambdaClient().send(new ListFunctionsCommand());
  expect(Functions).toEqual([]);
});

/** The deployed stack has as many resources as the templates of a synthesis. */
async function requireDeployed(use: string): Promise<void> {
  const { parts } = readWholeTemplate(output(use), `${names.stack}.template.json`);
  expect(Object.keys(parts).length).toBeGreaterThan(2);
  expect(await countDeployed(names.stack)).toBe(countResources(parts));
}
