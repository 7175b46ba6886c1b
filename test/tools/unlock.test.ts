import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { unlock } from "../../infra/tools/unlock.ts";
import { isPinFlowClosed, pinKey } from "../../shared/db/accounts/pins.ts";
import { documentClient } from "../../shared/db/table/table.ts";
import { settings } from "../../shared/settings.ts";
import { runTool, useMachine } from "./machine.ts";

const directory = useMachine();
const tool = join(import.meta.dirname, "../../infra/tools/unlock.ts");
const { login } = demoUsers.driver;

const run = (...parameters: string[]) => runTool(() => unlock(parameters, directory));

test("D10: a closed pin flow is open again, whatever form the login is typed in", async () => {
  await closePinFlow();
  expect(await isPinFlowClosed(login)).toBe(true);
  const { code, out } = await run("--login", ` ${login.toUpperCase()}`);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(login) });
  expect(await isPinFlowClosed(login)).toBe(false);
});

test("a login whose pin flow is open, or that nobody has, stays open", async () => {
  expect(await run("--login", "nobody@workforce.example")).toMatchObject({ code: 0 });
  expect(await isPinFlowClosed("nobody@workforce.example")).toBe(false);
});

test("what is no login is a mistake that says so", async () => {
  await expect(run("--login", "banana")).rejects.toThrow(UsageError);
  await expect(run("--login", "banana")).rejects.toThrow("neither an e-mail address nor a phone number");
});

test("without --login it ends with 2 and changes nothing; --help ends with 0", async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("--login LOGIN");
  expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("npm run unlock") });
});

/** A hundred wrong pins in a row, without the hours they take. */
async function closePinFlow(): Promise<void> {
  await documentClient().send(
    new UpdateCommand({
      TableName: settings.tableName(),
      Key: pinKey(login),
      UpdateExpression: "SET streak = :many",
      ExpressionAttributeValues: { ":many": 100 },
    }),
  );
}
