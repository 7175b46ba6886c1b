import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { importJWK, jwtVerify } from "jose";
import { beforeAll, expect, test } from "vitest";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { UsageError } from "../../../infra/tools/cli/command.ts";
import { runExport } from "../../../infra/tools/export.ts";
import { runImport } from "../../../infra/tools/import.ts";
import { recountLists } from "../../../infra/tools/recount.ts";
import { inStage, readStage, requireStage } from "../../../infra/tools/service/deployed-stage.ts";
import { printToken } from "../../../infra/tools/token.ts";
import { unlock } from "../../../infra/tools/unlock.ts";
import { pinKey } from "../../../shared/people/pins.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { publicPartOf } from "../../../shared/tokens/keys.ts";
import { fullStage } from "../../infra/stages/owned-stage.ts";
import { companyLine, invoiceLine, userLine } from "../../support/records/records.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { callerArn, useDeployedStage } from "../../support/service/stage.ts";
import { hmacKeyOf } from "../../support/tokens/hmac-key.ts";
import { runTool } from "../machine.ts";

const stage = useDeployedStage("dev");
const folder = newFolder();
/** Settings that another stage, or a function, left in the shell. */
const others = { TABLE_NAME: "workforce-prod-records", OIDC_ISSUER: "https://id.example", QUARANTINE_QUEUE_URL: "q" };
const login = "ines.marsh@example.com";
const TableName = tableNameOf({ name: "dev" });
beforeAll(() => void Object.assign(process.env, stage.environment, others));

function run(tool: (parameters: string[], directory: string) => Promise<number>, ...parameters: string[]) {
  return runTool(() => tool([...parameters, "--stage", "dev"], folder));
}

test("records, an owner's passcode among them, are imported into the stage's table, which its own workers follow", async () => {
  const file = join(folder, "lines.jsonl");
  const lines = [companyLine(1), userLine(12, { email: login, passcode: "1234" }), invoiceLine(31, 1)];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  const place = "Stage dev, account 000000000000, region eu-west-1\n";
  expect(await run(runImport, file)).toEqual({
    code: 0,
    out: expect.stringContaining("3 created"),
    err: `${place}The stage's own workers process what follows from the import.\n`,
  });
  const { Item } = await stage.database.send(new GetCommand({ TableName, Key: { ...recordKey("INVOICE", 31) } }));
  expect(Item?.record).toMatchObject({ number: "INV-2026-00031" });
  // Nothing is left of the settings that the shell had.
  expect(process.env).toMatchObject({
    TABLE_NAME: TableName,
    TOKEN_ISSUER: namesOf("dev").tokenIssuer,
    CALL_PATIENCE: "10",
    AWS_REGION: "eu-west-1",
  });
  for (const name of Object.keys(others).slice(1)) expect(process.env).not.toHaveProperty(name);
});

test("the stage's records are exported as lines", async () => {
  const out = join(folder, "exported.jsonl");
  expect(await run(runExport, "--types", "company,invoice", "--out", out)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/Records: .*\binvoice 1\b/),
  });
  const lines = readFileSync(out, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ type: "company" }, { type: "invoice", id: 31 }]);
});

test("a token speaks for the user for 15 minutes unless asked otherwise, and never for more than an hour", async () => {
  const { out, err } = await run(printToken, "--as", login);
  const key = await importJWK(publicPartOf(stage.signingKey), "ES256");
  const expected = { issuer: namesOf("dev").tokenIssuer, audience: "workforce-api", subject: "12", typ: "at+jwt" };
  const { payload } = await jwtVerify(out.trim(), key, expected);
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(15 * 60);
  expect(err).toContain(`A token of ${login} on the stage dev for 15 minutes.`);
  expect(err).not.toContain(out.trim());
  await expect(run(printToken, "--as", login, "--hours", "1.01")).rejects.toThrow("up to 1, not");
});

test("a stage that trusts another issuer makes no token", async () => {
  const { oidcIssuer } = fullStage;
  const file = join(folder, "stages.json");
  writeFileSync(file, JSON.stringify({ dev: { ...findStage("dev"), oidcIssuer } }));
  const refused = run(printToken, "--as", login, "--stages", file);
  await expect(refused).rejects.toThrow(`trusts the tokens of ${oidcIssuer.issuer} alone: sign in there.`);
});

test("who made a token is recorded by its id: the caller, the user and the times, for 400 days, and nothing of the token itself", async () => {
  const { out } = await run(printToken, "--as", login, "--hours", "0.5");
  const [, payload = "", signature = ""] = out.trim().split(".");
  const { jti, iat, exp } = JSON.parse(Buffer.from(payload, "base64url").toString());
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": "MINTED" } };
  const { Items } = await stage.database.send(new QueryCommand({ TableName, ...query }));
  const made = Items?.at(-1);
  expect([made?.jti, Items?.length]).toEqual([jti, 2]);
  expect(made).toMatchObject({ made_by: callerArn, user_id: 12, role: "operator", sk: `${made?.made_at}#${jti}` });
  const [madeAt, validTo] = [Date.parse(made?.made_at), Date.parse(made?.valid_to)];
  expect([Math.floor(madeAt / 1_000), Math.floor(validTo / 1_000)]).toEqual([iat, exp]);
  expect(made?.expires_at).toBe(Math.ceil(madeAt / 1_000) + 400 * 86_400);
  for (const part of [payload, signature, login]) expect(JSON.stringify(made)).not.toContain(part);
});

test("the counters of all companies are compared with their records", async () => {
  const found = await run(recountLists, "--company", "all");
  expect(found).toMatchObject({ code: 0, out: expect.stringContaining("all counters are exact") });
});

test("a login whose short pins are used up has short ones again", async () => {
  const subject = hmacKeyOf("k".repeat(64)).sign("throttle", `pin|${login}`);
  const Key = { ...pinKey(subject, "PIN") };
  await stage.database.send(new PutCommand({ TableName, Item: { ...Key, tries: 20 } }));
  expect(await run(unlock, "--login", login)).toMatchObject({ code: 0, out: expect.stringContaining(login) });
  expect((await stage.database.send(new GetCommand({ TableName, Key }))).Item).toBeUndefined();
});

test("the local stage, one that is not there, and no region are mistakes that say what to do", async () => {
  expect(() => readStage({ stage: "local" })).toThrow("leave --stage out");
  expect(() => readStage({ stage: "nowhere" })).toThrow(UsageError);
  expect(() => readStage({ stages: "stages.json" })).toThrow("--stages FILE goes with --stage NAME");
  const inRegion = () => inStage(requireStage("recount", { stage: "dev" }), async (region) => region);
  delete process.env.AWS_REGION;
  await expect(inRegion()).rejects.toThrow("No AWS region is named: set AWS_REGION, or the region of the stage dev");
  process.env.AWS_DEFAULT_REGION = "eu-west-2";
  expect(await inRegion()).toBe("eu-west-2");
});
