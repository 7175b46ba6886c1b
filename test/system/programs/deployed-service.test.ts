import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readBody, startHttpService } from "../../../infra/runtime/http-service.ts";
import { tableNameOf } from "../../../infra/stages/names.ts";
import { apiKeysKey } from "../../../shared/people/api-keys.ts";
import { userLine } from "../../support/records/records.ts";
import { type CommandResult, makeDirectory, runTool } from "../../support/service/local-machine.ts";
import { useDeployedStage } from "../../support/service/stage.ts";

const stage = useDeployedStage("dev");
const directory = makeDirectory();
const TableName = tableNameOf({ name: "dev" });
const login = "ines.marsh@example.com";
const place = "Stage dev, account 000000000000, region eu-west-1\n";
vi.setConfig({ testTimeout: 30_000 });
beforeAll(async () => {
  const file = join(directory.path, "lines.jsonl");
  writeFileSync(file, JSON.stringify(userLine(12, { email: login })));
  expect(await run("import", [file])).toMatchObject({ code: 0 });
});
afterAll(directory.remove);

function run(tool: string, parameters: string[], changes: Record<string, string> = {}): Promise<CommandResult> {
  const environment = { ...stage.environment, ...changes };
  return runTool(`infra/tools/${tool}.ts`, [...parameters, "--stage", "dev"], directory.path, environment);
}

function unlock(changes: Record<string, string>): Promise<CommandResult> {
  return run("unlock", ["--login", login], changes);
}

/** The keys that engineers made for the user. */
async function keysOfUser() {
  const Key = { ...apiKeysKey(12) };
  return (await stage.database.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item?.keys ?? {};
}

/** The one line that a command ended with when it refused. */
function refusal({ code, stdout, stderr }: CommandResult): string {
  const lines = stderr.replace(place, "").trim().split("\n");
  expect({ code, stdout, lines }).toEqual({ code: 1, stdout: "", lines: [expect.any(String)] });
  return lines[0] ?? "";
}

test("a key is not made where the history cannot keep who makes it", async () => {
  const denied = {
    BatchWriteItem: JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", message: "no" }),
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
  expect(await run("token", ["--as", login])).toMatchObject({ code: 0 });
  const before = await keysOfUser();
  expect(Object.keys(before)).toHaveLength(1);
  for (const [setting, action] of [
    ["AWS_ENDPOINT_URL_DYNAMODB", "BatchWriteItem"],
    ["AWS_ENDPOINT_URL_STS", "GetCallerIdentity"],
  ] as const) {
    const aws = await deny(action);
    const refused = await run("token", ["--as", login], { [setting]: `http://127.0.0.1:${aws.port}` });
    await aws.close();
    expect(refusal(refused), action).toContain("AWS denies access (no)");
  }
  expect(await keysOfUser()).toEqual(before);
});

test("without credentials and with a profile that is not there, one sentence says what to do", async () => {
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
  expect(refusal(await unlock(none))).toMatch(/^No AWS credentials .*AWS_PROFILE/);
  expect(refusal(await unlock({ ...none, AWS_PROFILE: "nobody" }))).toMatch(/^No AWS credentials .*nobody/);
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
