import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import { UsageError } from "../../../infra/tools/cli/command.ts";
import { runImport } from "../../../infra/tools/import.ts";
import { findDeployedStage, inStage } from "../../../infra/tools/service/deployed-stage.ts";
import { printToken } from "../../../infra/tools/token.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { callerArn, useDeployedStage } from "../../support/service/stage.ts";
import { runTool } from "../machine.ts";

const stage = useDeployedStage("dev");
const folder = newFolder();
/** Settings that another stage, or a function, left in the shell. */
const others = { TABLE_NAME: "workforce-prod-records", OIDC_ISSUER: "https://id.example", QUARANTINE_QUEUE_URL: "q" };
const login = "ines.marsh@example.com";
beforeAll(async () => {
  Object.assign(process.env, stage.environment, others);
  const file = join(folder, "lines.jsonl");
  const lines = [companyLine(1), userLine(12, { email: login })];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  const { err } = await runTool(() => runImport([file, "--stage", "dev"], folder));
  const place = "Stage dev, account 000000000000, region eu-west-1\n";
  expect(err).toBe(`${place}The stage's own workers process what follows from the import.\n`);
});

test("of the settings that a shell has, a tool keeps none of another stage", () => {
  expect(process.env).toMatchObject({
    TABLE_NAME: tableNameOf({ name: "dev" }),
    TOKEN_ISSUER: namesOf("dev").tokenIssuer,
    CALL_PATIENCE: "10",
    AWS_REGION: "eu-west-1",
  });
  for (const name of Object.keys(others).slice(1)) expect(process.env).not.toHaveProperty(name);
});

test("who made a token is recorded by its id: the caller, the user and the times, for 400 days, and nothing of the token itself", async () => {
  const { out } = await runTool(() => printToken(["--as", login, "--hours", "0.5", "--stage", "dev"], folder));
  const [, payload = "", signature = ""] = out.trim().split(".");
  const { jti, iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": "MINTED" } };
  const { Items } = await stage.database.send(new QueryCommand({ TableName: tableNameOf({ name: "dev" }), ...query }));
  const [made, ...others] = Items ?? [];
  expect([made?.jti, others]).toEqual([jti, []]);
  expect(made).toMatchObject({ made_by: callerArn, user_id: 12, role: "operator", sk: `${made?.made_at}#${jti}` });
  const [madeAt, validTo] = [Date.parse(made?.made_at), Date.parse(made?.valid_to)];
  expect([Math.floor(madeAt / 1_000), Math.floor(validTo / 1_000)]).toEqual([iat, exp]);
  expect(made?.expires_at).toBe(Math.ceil(madeAt / 1_000) + 400 * 86_400);
  for (const part of [payload, signature, login]) expect(JSON.stringify(made)).not.toContain(part);
});

test("the local stage, one that is not there, and no region are mistakes that say what to do", async () => {
  expect(() => findDeployedStage("local")).toThrow("leave --stage out");
  expect(() => findDeployedStage("nowhere")).toThrow(UsageError);
  const inRegion = () => inStage(findDeployedStage("dev"), async (region) => region);
  delete process.env.AWS_REGION;
  await expect(inRegion()).rejects.toThrow("No AWS region is named: set AWS_REGION, or the region of the stage dev");
  process.env.AWS_DEFAULT_REGION = "eu-west-2";
  expect(await inRegion()).toBe("eu-west-2");
});
