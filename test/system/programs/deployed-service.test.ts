import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { importJWK, jwtVerify } from "jose";
import { afterAll, expect, test, vi } from "vitest";
import { readBody, startHttpService } from "../../../infra/local/http-service.ts";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import { pinKey } from "../../../shared/db/accounts/pins.ts";
import { recordKey } from "../../../shared/db/table/item-keys.ts";
import { publicPartOf } from "../../../shared/tokens/signing-keys.ts";
import { companyLine, invoiceLine, userLine } from "../../support/records/records.ts";
import { type CommandResult, makeDirectory, runTool } from "../../support/service/local-machine.ts";
import { useDeployedStage } from "../../support/service/stage.ts";
import { hmacKeyOf } from "../../support/tokens/hmac-key.ts";

const stage = useDeployedStage("dev");
const directory = makeDirectory();
const TableName = tableNameOf({ name: "dev" });
const login = "ines.marsh@example.com";
const place = "Stage dev, account 000000000000, region eu-west-1\n";
vi.setConfig({ testTimeout: 30_000 });
afterAll(directory.remove);

function run(tool: string, parameters: string[], changes: Record<string, string> = {}): Promise<CommandResult> {
  const environment = { ...stage.environment, ...changes };
  return runTool(`infra/tools/${tool}.ts`, [...parameters, "--stage", "dev"], directory.path, environment);
}

function unlock(changes: Record<string, string>): Promise<CommandResult> {
  return run("unlock", ["--login", login], changes);
}

/** The records of the tokens that people made for the stage. */
async function mintings() {
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": "MINTED" } };
  return (await stage.database.send(new QueryCommand({ TableName, ...query, ConsistentRead: true }))).Items ?? [];
}

/** The one line that a command ended with when it refused. */
function refusal({ code, stdout, stderr }: CommandResult): string {
  const lines = stderr.replace(place, "").trim().split("\n");
  expect({ code, stdout, lines }).toEqual({ code: 1, stdout: "", lines: [expect.any(String)] });
  return lines[0] ?? "";
}

test("records, an owner's passcode among them, are imported into the stage's table, which its own workers follow", async () => {
  const file = join(directory.path, "lines.jsonl");
  const user = userLine(12, { email: login, passcode: "1234" });
  const lines = [companyLine(1), user, invoiceLine(31, 1)];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  // The user's shell may hold what a local machine or another stage left behind.
  const imported = await run("import", [file], { TABLE_NAME: "workforce-prod-records", HMAC_SECRET_ARN: "another" });
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining("3 created") });
  expect(imported.stderr).toBe(`${place}The stage's own workers process what follows from the import.\n`);
  const Key = { ...recordKey("INVOICE", 31) };
  const { Item } = await stage.database.send(new GetCommand({ TableName, Key }));
  expect(Item?.record).toMatchObject({ number: "INV-2026-00031" });
});

test("the stage's records are exported as lines that their owner alone reads", async () => {
  const out = join(directory.path, "exported.jsonl");
  const exported = await run("export", ["--types", "company,invoice", "--out", out]);
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringMatching(/Records: .*\binvoice 1\b/) });
  expect([statSync(out).mode & 0o777, existsSync(`${out}.draft`)]).toEqual([0o600, false]);
  const lines = readFileSync(out, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ type: "company" }, { type: "invoice", id: 31 }]);
});

test("a token speaks for the user for 15 minutes unless asked otherwise, and never for more than an hour", async () => {
  const { code, stdout, stderr } = await run("token", ["--as", login]);
  expect(code).toBe(0);
  const key = await importJWK(publicPartOf(stage.signingKey), "ES256");
  const expected = { issuer: namesOf("dev").tokenIssuer, audience: "workforce-api", subject: "12", typ: "at+jwt" };
  const { payload } = await jwtVerify(stdout.trim(), key, expected);
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60);
  expect(stderr).toContain(`A token of ${login} on the stage dev for 15 minutes.`);
  expect(stderr).not.toContain(stdout.trim());
  const long = await run("token", ["--as", login, "--hours", "1.5"]);
  expect(long).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("up to 1,") });
});

test("a token is not made where it cannot be recorded who makes it", async () => {
  const denied = {
    PutItem: JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", message: "no" }),
    GetCallerIdentity: "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
  };
  const deny = async (only: keyof typeof denied) =>
    startHttpService(async (request, response) => {
      const action = String(request.headers["x-amz-target"]).split(".")[1] ?? only;
      const { host: _, "content-length": __, connection: ___, ...headers } = request.headers;
      const body = (await readBody(request, 1_000_000)) as Buffer<ArrayBuffer>;
      const json = { "content-type": "application/x-amz-json-1.0" };
      if (action === only) return response.writeHead(400, json).end(denied[only]);
      const endpoint = stage.environment.AWS_ENDPOINT_URL_DYNAMODB ?? "";
      const sent = { method: "POST", headers: headers as Record<string, string>, body };
      const answer = await fetch(endpoint, sent);
      response.writeHead(answer.status, json).end(await answer.text());
    });
  const before = await mintings();
  for (const [setting, action] of [
    ["AWS_ENDPOINT_URL_DYNAMODB", "PutItem"],
    ["AWS_ENDPOINT_URL_STS", "GetCallerIdentity"],
  ] as const) {
    const aws = await deny(action);
    const refused = await run("token", ["--as", login], { [setting]: `http://127.0.0.1:${aws.port}` });
    await aws.close();
    expect(refusal(refused), action).toContain("AWS denies access (no)");
  }
  expect(await mintings()).toEqual(before);
});

test("the counters of all companies are compared with their records", async () => {
  const found = await run("recount", ["--company", "all"]);
  expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining("all counters are exact") });
});

test("a login whose short pins are used up has short ones again", async () => {
  const subject = hmacKeyOf("k".repeat(64)).sign("throttle", `pin|${login}`);
  const Key = { ...pinKey(subject, "PIN") };
  await stage.database.send(new PutCommand({ TableName, Item: { ...Key, tries: 20 } }));
  expect(await unlock({})).toMatchObject({ code: 0, stdout: expect.stringContaining(login) });
  expect((await stage.database.send(new GetCommand({ TableName, Key }))).Item).toBeUndefined();
});

test("without credentials, without a region and with a profile that is not there, one sentence says what to do", async () => {
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
  expect(refusal(await unlock(none))).toMatch(/^No AWS credentials .*AWS_PROFILE/);
  expect(refusal(await unlock({ ...none, AWS_PROFILE: "nobody" }))).toMatch(/^No AWS credentials .*nobody/);
  expect(await unlock({ AWS_REGION: "" })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^No AWS region/),
  });
});

test("a single sign-on that has ended says so", async () => {
  const folder = join(directory.path, "aws");
  mkdirSync(folder);
  const session = "sso_session = work\nsso_account_id = 000000000000\nsso_role_name = Developer\nregion = eu-west-1\n";
  const start = "[sso-session work]\nsso_region = eu-west-1\nsso_start_url = https://work.example/start\n";
  writeFileSync(join(folder, "config"), `[profile work]\n${session}${start}`);
  const profile = { AWS_PROFILE: "work", AWS_CONFIG_FILE: join(folder, "config") };
  expect(refusal(await unlock({ AWS_ACCESS_KEY_ID: "", ...profile }))).toContain("sign in");
});

test("a stage without its table and an address where nobody answers say so", async () => {
  const gone = await runTool("infra/tools/token.ts", ["--as", login, "--stage", "staging"], directory.path, {
    ...stage.environment,
  });
  expect(refusal(gone)).toContain("The stage staging is not deployed");
  const silent = await unlock({ AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:9" });
  expect(refusal(silent)).toMatch(/^AWS does not answer in eu-west-1/);
});
