import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replacementSteps } from "../../../../infra/constructs/stores/records-table.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { stages } from "../../../../infra/stages/stages.ts";
import { createApp } from "../../../../infra/synthesize.ts";
import { WorkforceStack } from "../../../../infra/workforce-stack.ts";
import { send } from "../../../support/requests/http-client.ts";
import { useAccount } from "../account.ts";
import { type DeployedStage, openStage } from "../deployed-stage.ts";
import { account, region } from "../emulator.ts";
import { openShell, readPage, type Shell, shellBlocksOf } from "../every-setting/shell.ts";
import { verifyAddresses } from "../journeys.ts";
import { type Checkout, checkOutLastRelease, findObstacle, lastRelease } from "./last-release.ts";
import { findConflicts, readKept } from "./stacks.ts";
import { type Held, lines, logins, pay, putJob, reading, records, seenBy, signIn, useStage } from "./stage-life.ts";

/** A job that another system sends while the stage is deployed. */
const waitingJob = 8;
const obstacle = findObstacle();
const title = `a stage of release ${lastRelease.version} takes this one`;

describe.skipIf(obstacle)(obstacle ? `${title} (not shown: ${obstacle})` : title, testUpgrade);

/** The steps of infra/UPGRADE.md, "Take a release", in their order. */
function testUpgrade(): void {
  const names = namesOf("dev");
  const settings = {
    TABLE_NAME: names.table,
    HMAC_SECRET_ARN: names.hmacSecret,
    DEFAULT_COUNTRY: "GB",
    HISTORY_DAYS: "400",
  };
  const aws = useAccount("deploy-upgrade", settings);
  let last: Checkout;
  let stage: DeployedStage;
  let held: Held;
  let kept: object;
  let shell: Shell;
  // Nobody is there to approve rights, and the checkout's own folder may be in use.
  const deploy = `npx cdk deploy --require-approval never --output ${aws.output("cdk.out")}`;
  const [emptying = "", taking = ""] = shellBlocksOf(`From ${lastRelease.version}`, readPage("infra/UPGRADE.md")).map(
    (block) => block.replaceAll("NAME", "dev").replaceAll("npx cdk deploy", deploy),
  );
  const [deploying = "", migrating = "", reconciling = ""] = taking.trim().split("\n");

  beforeAll(async () => {
    last = await checkOutLastRelease();
    shell = await openShell(aws, "dev");
  });
  afterAll(() => stage?.close());

  test("it is deployed as it was released, filled by its own import, and used", async () => {
    await shell(`npx cdk bootstrap aws://${account}/${region} --app ${last.app}`);
    stage = await openStage(aws.emulator, await shell(`npx cdk deploy --require-approval never --app ${last.app}`));
    kept = await readKept(names.stack);
    expect(Object.keys(kept).length).toBeGreaterThan(5);
    await verifyAddresses([stages.dev.senderAddress, ...Object.values(logins)]);
    const file = join(aws.directory, "lines.jsonl");
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    const imported = await shell(`cd ${last.folder} && npm run import -- --stage dev ${file}`);
    expect(imported).toContain(`${lines.length} created`);
    held = await useStage(stage);
  });

  test("its functions go first and its indexes are replaced one by one; what is kept stays", async () => {
    const [, steps = "", command = ""] = /^ *for step in ([\d ]+); do\n +(.+) \|\| break$/m.exec(emptying) ?? [];
    const [first = "", ...others] = steps.split(" ");
    expect(steps.split(" ").map(Number)).toEqual(Array.from({ length: replacementSteps }, (_, at) => at + 1));
    await shell(command.replace("$step", first));
    // The same without waiting for the command to synthesise each of them.
    for (const step of others) await deployStep(Number(step));
    expect(await readKept(names.stack)).toMatchObject(kept);
  });

  async function deployStep(replacementStep: number): Promise<void> {
    const app = createApp({ outdir: aws.output(`step-${replacementStep}`) });
    new WorkforceStack(app, { stage: stages.dev, bundles: "", emptied: { replacementStep } });
    const { directory } = app.synth();
    const { code, printed } = await aws.cdk(["deploy", "--method", "direct", "--app", directory]);
    expect(code, printed).toBe(0);
  }

  test("this release is deployed: table, secrets, API, bus and sender are the same", async () => {
    await putJob(stage, waitingJob);
    const printed = await shell(deploying);
    expect(await readKept(names.stack)).toMatchObject(kept);
    await stage.close();
    stage = await openStage(aws.emulator, printed);
  });

  test("names and indexes that would be in the way are why its functions went first", () => {
    expect(findConflicts(names.stack, last.app, aws.output("cdk.out")).length).toBeGreaterThan(0);
  });

  test("clients see what they saw, with what an old access token shows; the event that waited came in once", async () => {
    const { lists, notifications, ...others } = held.seen;
    const see = () => seenBy(stage.baseUrl, held.accessToken);
    await expect.poll(async () => (await see()).notifications.length, reading).toBe(notifications.length + 1);
    const now = await see();
    expect(idsOf(now.lists)).toEqual({ ...idsOf(lists), jobs: [waitingJob, ...idsOf(lists).jobs] });
    expect({ ...now.lists, jobs: lists.jobs }).toEqual(lists);
    expect(now.lists.jobs.total).toBe(String(Number(lists.jobs.total) + 1));
    expect(now.notifications.slice(1)).toEqual(notifications);
    const profile = { user: { ...others.profile.user, locale: null } };
    expect([now.profile, now.keys]).toEqual([profile, others.keys]);
  });

  test("an old session is refreshed, an old pin confirms, and an old payment is answered again", async () => {
    const { baseUrl } = stage;
    const { refreshToken: refresh_token, accessToken: bearer, pin } = held;
    const refreshed = await send(baseUrl, "POST", "/api/v1/users/token", { body: { token: { refresh_token } } });
    expect(refreshed.status).toBe(200);
    const again = await pay(baseUrl, { ...held.payment, bearer });
    expect([again.headers.get("idempotency-replayed"), again.body]).toEqual(["true", held.payment.answer]);
    const confirmation = { body: { user: { login: logins.admin, pin } } };
    expect((await send(baseUrl, "POST", "/api/v1/users/confirmation", confirmation)).status).toBe(200);
  });

  test("an old passcode pays and an old password signs in", async () => {
    expect((await pay(stage.baseUrl, { ids: [3], key: "payment-2", bearer: held.accessToken })).status).toBe(200);
    await signIn(stage.baseUrl, logins.operator);
  });

  test("migrate rewrites every old item, once, and reconcile finds all totals exact", async () => {
    expect(await shell(migrating)).not.toContain(" 0 rewritten.");
    expect(await shell(migrating)).toContain(" 0 rewritten.");
    expect(await shell(reconciling)).toContain(`${records.length + 2} records: totals are exact.`);
  });

  test("passwords and passcodes are apart from their users then, and still good", async () => {
    expect(await readItem("USER#2", "USER")).not.toHaveProperty("password_hash");
    expect(await readItem("PASSWORD#2", "PASSWORD")).toHaveProperty("hash");
    await signIn(stage.baseUrl, logins.operator);
    expect((await pay(stage.baseUrl, { ids: [4], key: "payment-3", bearer: held.accessToken })).status).toBe(200);
  });

  test("no function wanted a right that its role does not have, none failed, and no message was given up", async () => {
    expect(aws.emulator.refusals()).toEqual([]);
    expect(aws.emulator.log().match(/^.*"level":"error".*$/gm)).toBeNull();
    const waiting = async () => [...(await stage.waiting())].filter(([, count]) => count > 0);
    await expect.poll(waiting, reading).toEqual([]);
  });
}

function idsOf(lists: Held["seen"]["lists"]) {
  const ids = Object.entries(lists).map(([name, { body }]) => [
    name,
    body[name].map((each: { id: number }) => each.id),
  ]);
  return Object.fromEntries(ids) as Record<keyof typeof lists, number[]>;
}

async function readItem(pk: string, sk: string): Promise<object | undefined> {
  const client = new DynamoDBClient();
  const { Item } = await client.send(
    new GetItemCommand({ TableName: process.env.TABLE_NAME, Key: { pk: { S: pk }, sk: { S: sk } } }),
  );
  client.destroy();
  return Item;
}
