import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { UsageError } from "../../../infra/tools/cli/command.ts";
import { runExport } from "../../../infra/tools/export.ts";
import { history } from "../../../infra/tools/history.ts";
import { runImport } from "../../../infra/tools/import.ts";
import { recountLists } from "../../../infra/tools/recount.ts";
import { inStage, readStage, requireStage } from "../../../infra/tools/service/deployed-stage.ts";
import { printToken } from "../../../infra/tools/token.ts";
import { unlock } from "../../../infra/tools/unlock.ts";
import { addApiKey, findApiKeys, findKeyHolder, validKeys } from "../../../shared/people/api-keys.ts";
import { pinKey } from "../../../shared/people/pins.ts";
import { type Account, findAccount } from "../../../shared/people/users.ts";
import { recordKey } from "../../../shared/table/table.ts";
import { fullStage } from "../../infra/stages/owned-stage.ts";
import { beforeCalls } from "../../support/faults/before-calls.ts";
import { testContext } from "../../support/records/contexts.ts";
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

test("a key reads as the user for an hour unless asked otherwise, and never for more than a day", async () => {
  const { out, err } = await run(printToken, "--as", login);
  const holder = await findKeyHolder(out.trim(), new Date());
  expect(holder.caller).toMatchObject({ userId: 12, role: "operator", companyId: 1, key: { access: "read" } });
  expect(err).toContain(
    `An API key of ${login} on the stage dev, valid for 1 hours. Anyone who has it reads as that user`,
  );
  expect(err).not.toContain(out.trim());
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  await expect(findKeyHolder(out.trim(), inMinutes(61))).rejects.toMatchObject({ code: "token_invalid" });
  await expect(run(printToken, "--as", login, "--hours", "24.1")).rejects.toThrow("up to 24, not");
  const acting = await run(printToken, "--as", login, "--access", "act", "--hours", "24");
  expect((await findKeyHolder(acting.out.trim(), inMinutes(23 * 60))).caller.key?.access).toBe("act");
  await expect(run(printToken, "--as", login, "--access", "pay")).rejects.toThrow("takes read or act");
});

test("a stage that trusts another issuer makes no token", async () => {
  const { oidcIssuer } = fullStage;
  const file = join(folder, "stages.json");
  writeFileSync(file, JSON.stringify({ dev: { ...findStage("dev"), oidcIssuer } }));
  const refused = run(printToken, "--as", login, "--stages", file);
  await expect(refused).rejects.toThrow(`trusts the tokens of ${oidcIssuer.issuer} alone: sign in there.`);
});

test("who made a key is in the user's history and in their list, named by its id; the secret is in neither", async () => {
  const { out } = await run(printToken, "--as", login, "--access", "act");
  const { caller } = await findKeyHolder(out.trim(), new Date());
  const id = caller.key?.id;
  const { code, out: shown } = await run(history, "user", "12");
  expect([code, shown]).toEqual([0, expect.stringContaining("updated by tool token  operation token, change ")]);
  const made = { id, name: expect.stringMatching(/^user\/ada 20\S+Z$/), access: "act", made_by: callerArn };
  const texts = [...shown.matchAll(/api_key +– → (.*)/g)].map(([, text = ""]) => JSON.parse(text));
  expect(texts.find((each) => each.id === id)).toMatchObject(made);
  expect(shown).not.toContain(out.trim().slice(-43));
  const query = { IndexName: "by-state", KeyConditionExpression: "all_key = :by" };
  const values = { ExpressionAttributeValues: { ":by": "HISTORY#BY#tool#token" } };
  const { Items } = await stage.database.send(new QueryCommand({ TableName, ...query, ...values }));
  expect(Items).toHaveLength(texts.length);
  const stored = await findApiKeys(12);
  expect(validKeys(stored, 0, new Date()).find((key) => key.id === id)).toMatchObject({ minted_by: callerArn });
  // They take no place from the user's own keys.
  const asked = { name: "Export", access: "read", validTo: new Date(Date.now() + 60_000) } as const;
  const account = await findAccount(12);
  for (let at = 0; at < 20; at += 1)
    await addApiKey(account as Account, { ...asked, name: `Export ${at}` }, testContext());
  await expect(addApiKey(account as Account, asked, testContext())).rejects.toMatchObject({ code: "fields_invalid" });
  expect(await run(printToken, "--as", login)).toMatchObject({ code: 0 });
});

test("a key whose making the history does not take is not made", async () => {
  const before = await findApiKeys(12);
  const deny = (command: string) => {
    if (command.startsWith("BatchWrite")) throw new Error("The history is denied");
  };
  await expect(beforeCalls(deny, () => run(printToken, "--as", login))).rejects.toThrow("The history is denied");
  expect(await findApiKeys(12)).toEqual(before);
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
