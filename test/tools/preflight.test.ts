import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { localCredentials } from "../../infra/local/aws/local-credentials.ts";
import { findStage } from "../../infra/stages/stages.ts";
import { preflight } from "../../infra/tools/preflight.ts";
import { type FakeAnswer, useFakeAws } from "../support/faults/fake-aws.ts";
import { makeDirectory } from "../support/service/local-machine.ts";
import { runProgram } from "./machine.ts";

const aws = useFakeAws();
const directory = makeDirectory();
const timeout = 30_000;
afterAll(directory.remove);
afterEach(() => void vi.unstubAllEnvs());

const caller: FakeAnswer = { xml: "<Account>000000000000</Account>" };
const stack = "<StackName>S</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>";

/** A stage like dev, with addresses of its owner's. */
const stagesFile = join(directory.path, "stages.json");
const own = { ...findStage("dev"), senderAddress: "no-reply@harbour-logistics.co.uk", smsSenderId: "Harbour" };
writeFileSync(stagesFile, JSON.stringify({ dev: own }));

/** An account in which dev is deployed, and all that it sends arrives. */
const ready: Readonly<Record<string, FakeAnswer>> = {
  GetCallerIdentity: caller,
  GetParameter: { json: { Parameter: { Value: "27" } } },
  DescribeStacks: { xml: `<Stacks><member>${stack}<StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks>` },
  "GET /v2/email/identities/no-reply%40harbour-logistics.co.uk": { json: { VerifiedForSendingStatus: true } },
  "GET /v2/email/account": { json: { ProductionAccessEnabled: true } },
  GetSMSSandboxAccountStatus: { xml: "<IsInSandbox>false</IsInSandbox>" },
  GetSMSAttributes: { xml: "<attributes></attributes>" },
  "GET /2016-08-19/account-settings": { json: { AccountLimit: { ConcurrentExecutions: 1_000 } } },
};

async function run(parameters: string[], answers: Readonly<Record<string, FakeAnswer>>, changes = {}) {
  aws.answers = { ...answers };
  const { accessKeyId, secretAccessKey } = localCredentials;
  const environment = {
    HOME: directory.path,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    WORKFORCE_STAGES: "",
    ...changes,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { code, out, err } = await runProgram(() => preflight(parameters));
  const lines = out.trim().split("\n");
  return { code, err, lines, outcomes: lines.map((line) => line.split(" ")[0]) };
}

test("an account where nothing is missing is ok in every line, and ends with 0", { timeout }, async () => {
  const { code, lines, outcomes } = await run(["--stage", "dev"], ready, { WORKFORCE_STAGES: stagesFile });
  expect({ code, outcomes }, lines.join("\n")).toEqual({ code: 0, outcomes: Array(16).fill("ok") });
  expect(lines[1]).toContain("account 000000000000, region eu-west-1");
});

test("what the credentials may not look at is unchecked, says so, and ends with 1", { timeout }, async () => {
  const { code, lines, outcomes } = await run(["--stage", "dev"], { GetCallerIdentity: caller });
  const wanted = [
    "ok",
    "ok",
    "unchecked",
    "unchecked",
    "missing",
    "unchecked",
    "unchecked",
    "missing",
    "unchecked",
    "ok",
    "unchecked",
    "ok",
    "ok",
    "ok",
    "ok",
    "ok",
  ];
  expect({ code, outcomes }).toEqual({ code: 1, outcomes: wanted });
  for (const line of lines.filter((each) => each.startsWith("unchecked"))) expect(line).toContain("AWS denies access");
});

test("wrong settings are missing, one line each; without credentials nothing else is looked at", {
  timeout,
}, async () => {
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
  const { code, lines, outcomes } = await run(["--stage", "prod"], ready, none);
  expect(code).toBe(1);
  expect(new Set(outcomes)).toEqual(new Set(["missing"]));
  expect(lines[0]).toMatch(/^missing +settings +Set \w+ of the stage prod in infra\/stages\/stages\.ts to /);
  expect(lines.at(-1)).toMatch(/^missing +credentials +No AWS credentials/);
});

test("without a stage, or with one that there is not, it ends with 2", { timeout }, async () => {
  expect(await run([], ready)).toMatchObject({ code: 2, err: expect.stringContaining("--stage NAME") });
  const unknown = await run(["--stage", "production"], ready);
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('There is no stage "production"') });
});
