import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { tableNameOf } from "../../../infra/stages/names.ts";
import { runImport } from "../../../infra/tools/import.ts";
import { printToken } from "../../../infra/tools/token.ts";
import { companyLine, userLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { callerArn, useDeployedStage } from "../../support/service/stage.ts";
import { runTool } from "../machine.ts";

const stage = useDeployedStage("dev");
const folder = newFolder();
const login = "ines.marsh@example.com";
beforeAll(async () => {
  Object.assign(process.env, stage.environment);
  const file = join(folder, "lines.jsonl");
  const lines = [companyLine(1), userLine(12, { email: login })];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  await runTool(() => runImport([file, "--stage", "dev"], folder));
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
  const { err } = await runTool(() => printToken(["--as", login, "--stage", "dev"], folder));
  expect(err).toContain("on the stage dev for 15 minutes");
  const long = runTool(() => printToken(["--as", login, "--hours", "1.01", "--stage", "dev"], folder));
  await expect(long).rejects.toThrow("up to 1, not");
});
