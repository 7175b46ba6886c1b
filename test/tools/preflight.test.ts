import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { localCredentials } from "../../infra/runtime/aws/local-credentials.ts";
import { findStage } from "../../infra/stages/stages.ts";
import { checks } from "../../infra/tools/preflight/preflight-checks.ts";
import { preflight } from "../../infra/tools/preflight.ts";
import { ownedStage } from "../infra/stages/owned-stage.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { type FakeAnswer, useFakeAws } from "./fake-aws.ts";
import { runProgram } from "./machine.ts";
import { asAsked, ready as readyToDeploy, stackStatus, unprotectedTable } from "./preflight/aws-answers.ts";

const aws = useFakeAws();
const directory = newFolder();
const timeout = 30_000;
afterEach(() => void vi.unstubAllEnvs());

const caller: FakeAnswer = { xml: "<Account>000000000000</Account>" };

const stagesFile = join(directory, "stages.json");
const own = { ...findStage("dev"), senderAddress: "no-reply@harbour-logistics.co.uk", smsSenderId: "Harbour" };
writeFileSync(stagesFile, JSON.stringify({ dev: own }));
const ours = ["--stage", "dev", "--stages", stagesFile];

/** An account in which dev is deployed, and all that it sends arrives. */
const ready = { ...readyToDeploy, GetCallerIdentity: caller, DescribeStacks: stackStatus("CREATE_COMPLETE") };

async function run(parameters: string[], answers: Readonly<Record<string, FakeAnswer>>, changes = {}) {
  aws.answers = { ...answers };
  const { accessKeyId, secretAccessKey } = localCredentials;
  const environment = {
    HOME: directory,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL: aws.endpoint,
    ...changes,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { code, out, err } = await runProgram(() => preflight(parameters));
  const lines = out.trim().split("\n");
  return { code, err, lines, outcomes: lines.map((line) => line.split(" ")[0]) };
}

test("an account where nothing is missing is ok in every line, and ends with 0", { timeout }, async () => {
  const { code, lines, outcomes } = await run(ours, ready);
  expect({ code, outcomes }, lines.join("\n")).toEqual({ code: 0, outcomes: Array(2 + checks.length).fill("ok") });
  expect(lines[1]).toContain("account 000000000000, region eu-west-1");
});

test("what is for later does not keep a stage from its deploy", { timeout }, async () => {
  const { origins, alarmAddress } = ownedStage("prod");
  const keeping = { ...own, removal: "keep", edge: "none", origins, alarmAddress };
  writeFileSync(stagesFile, JSON.stringify({ dev: keeping }));
  const { code, outcomes } = await run(ours, { ...ready, ...asAsked, DescribeTable: unprotectedTable });
  writeFileSync(stagesFile, JSON.stringify({ dev: own }));
  expect([code, new Set(outcomes)]).toEqual([0, new Set(["ok", "later"])]);
});

test("what the credentials may not look at is unchecked, says so, and ends with 1", { timeout }, async () => {
  const { code, lines, outcomes } = await run(["--stage", "dev"], { GetCallerIdentity: caller });
  const looking = "CDK bootstrap,earlier stack,e-mail account,SMS sandbox,SMS spend,region,Lambda concurrency";
  const unchecked = looking.split(",");
  const placeholders = ["e-mail sender", "SMS sender"];
  const wanted = checks.map(({ about }) =>
    unchecked.includes(about) ? "unchecked" : placeholders.includes(about) ? "missing" : "ok",
  );
  expect({ code, outcomes }).toEqual({ code: 1, outcomes: ["ok", "ok", ...wanted] });
  for (const line of lines.filter((each) => each.startsWith("unchecked"))) expect(line).toContain("AWS denies access");
});

test("wrong settings are missing, one line each; without credentials each check says what to ask, the longest first", {
  timeout,
}, async () => {
  const { code, lines, outcomes } = await run(["--stage", "prod"], ready, none);
  expect(code).toBe(1);
  const faults = lines.slice(0, -checks.length);
  expect(new Set(outcomes.slice(0, faults.length))).toEqual(new Set(["missing"]));
  expect(lines[0]).toMatch(/^missing +settings +Set \w+ of the stage prod in infra\/stages\/stages\.ts to /);
  expect(faults.at(-1)).toMatch(/^missing +credentials +No AWS credentials/);
  const asked = lines.slice(-checks.length).map((line) => line.replaceAll(/ {2,}/g, " "));
  const said = checks.map(({ about, asks, days, bySettings }) => {
    const { outcome, text } = bySettings?.(findStage("prod")) ?? { text: asks };
    return `${outcome ?? (days === undefined ? "later" : "unchecked")} ${about} ${text}`;
  });
  expect(asked.toSorted()).toEqual(said.toSorted());
  expect(asked[0]).toMatch(/^missing SMS sender SMS have no sender, .* weeks, and set smsSenderId\.$/);
  expect(asked[1]).toMatch(/^missing e-mail sender no-reply@workforce\.example is a placeholder/);
  const outcomesOf = asked.map((line) => line.split(" ")[0]);
  expect(outcomesOf.slice(outcomesOf.lastIndexOf("unchecked") + 1)).not.toContain("missing");
});

const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };

test("without credentials unchanged dev says that its sender is a placeholder and SMS have none, and where the first admin is", {
  timeout,
}, async () => {
  const { code, lines } = await run(["--stage", "dev"], ready, none);
  expect(code).toBe(1);
  const sender = lines.find((line) => line.includes("e-mail sender"));
  expect(sender).toMatch(
    /^missing .*no-reply@workforce\.example is a placeholder .*set senderAddress .*"The first admin" in infra\/README\.md/,
  );
  expect(lines.find((line) => line.includes("SMS sender"))).toMatch(/^missing .*GB, .*set smsSenderId/);
});

test.each([
  ["address", /^later .*Whoever reads no-reply@harbour-logistics\.co\.uk opens the link that SES mails there/],
  ["domain", /^unchecked .*keeps the domain's DNS publishes the records that the deploy prints; up to three days/],
  ["existing", /^later .*has no-reply@harbour-logistics\.co\.uk or its domain verified there/],
])(
  "without credentials it asks for the sender by the kind of its identity: %s",
  { timeout },
  async (senderIdentity, asked) => {
    writeFileSync(stagesFile, JSON.stringify({ dev: { ...own, senderIdentity } }));
    const { lines } = await run(ours, ready, none);
    writeFileSync(stagesFile, JSON.stringify({ dev: own }));
    expect(lines.find((line) => line.includes("e-mail sender"))).toMatch(asked);
  },
);

test.each<[string, object]>([
  ["us-east-1", { AWS_REGION: "us-east-1" }],
  ["us-east-1", { AWS_REGION: "" }],
  ["eu-north-1", { AWS_REGION: "", AWS_DEFAULT_REGION: "eu-north-1" }],
])("the settings are missing where synth would find the region %s: %j", { timeout }, async (found, changes) => {
  writeFileSync(stagesFile, JSON.stringify({ dev: { ...own, region: "eu-west-1" } }));
  const { code, lines } = await run(ours, ready, changes);
  writeFileSync(stagesFile, JSON.stringify({ dev: own }));
  expect(code).toBe(1);
  expect(lines[0]).toMatch(
    new RegExp(`^missing +settings +Set AWS_REGION to eu-west-1, where the stage dev lives .*: it is ${found}\\.$`),
  );
});

test("without a stage, or with one that there is not, it ends with 2", { timeout }, async () => {
  expect(await run([], ready)).toMatchObject({ code: 2, err: expect.stringContaining("--stage NAME") });
  const unknown = await run(["--stage", "production"], ready);
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('There is no stage "production"') });
});
