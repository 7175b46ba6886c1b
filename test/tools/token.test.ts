import { expect, test } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { printToken } from "../../infra/tools/token.ts";
import { verifyAccessToken } from "../../shared/tokens/access.ts";
import { expectMistake, runTool, useMachine } from "./machine.ts";

const directory = useMachine();

const run = (...parameters: string[]) => runTool(() => printToken(parameters, directory));

test("the service takes what is on standard output, a token alone, as that of the user with the login", async () => {
  const { id, role, company_id, login } = demoUsers.operatorA;
  const { code, out, err } = await run("--as", ` \u202a${login.toUpperCase().replace("@", "＠")}\u202c`);
  expect([code, err]).toEqual([0, expect.stringContaining(`A token of ${login} `)]);
  expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const caller = await verifyAccessToken(out.trim(), new Date());
  expect(caller).toMatchObject({ userId: id, role, companyId: company_id });
});

test("--hours says how long the token counts", async () => {
  const hoursOf = async (...more: string[]) => {
    const { out, err } = await run("--as", demoUsers.admin.login, ...more);
    const claims = JSON.parse(Buffer.from(out.split(".")[1] ?? "", "base64url").toString());
    return [(claims.exp - claims.iat) / 3_600, /for (\d+) hours; it is valid on the local machine/.exec(err)?.[1]];
  };
  expect(await hoursOf("--hours", "2")).toEqual([2, "2"]);
  expect(await hoursOf("--hours", "8760")).toEqual([8_760, "8760"]);
  expect(await hoursOf()).toEqual([24, "24"]);
});

test.each(["0", "-1", "soon", "8761"])("--hours %s is a mistake", async (hours) => {
  await expectMistake(run("--as", demoUsers.admin.login, `--hours=${hours}`), "--hours takes a number above 0");
});

test("a login that no user has, or that is none or left out, is a mistake that says so", async () => {
  await expect(run("--as", "nobody@demo.example")).rejects.toThrow("No user of the local machine has the login");
  await expect(run("--as", "banana")).rejects.toThrow("neither an e-mail address nor a phone number");
  await expectMistake(run(), "--as LOGIN");
});
