import { expect, test } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { unlock } from "../../infra/tools/unlock.ts";
import { failPasswords, passwordsAt } from "../support/requests/passwords.ts";
import { changePin, storedPin, storeMadePin } from "../support/requests/pins.ts";
import { expectMistake, runTool, useMachine } from "./machine.ts";

const directory = useMachine();
const { login } = demoUsers.driver;

const run = (...parameters: string[]) => runTool(() => unlock(parameters, directory));

test("D10, D15: what was guessed at a login is forgotten, passwords and pins, whatever form the login is typed in", async () => {
  await shut();
  expect(await isShut(login)).toBe(true);
  const { code, out } = await run("--login", ` \u202a${login.toUpperCase().replace("@", "＠")}\u202c`);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(login) });
  expect(await isShut(login)).toBe(false);
});

test("a login that no user has ends with 1 and says so; its counts are forgotten, too", async () => {
  const unknown = "nobody@workforce.example";
  await failPasswords(unknown, 1, "198.51.100.6");
  expect(await isShut(unknown)).toBe(true);
  expect(await run("--login", unknown)).toMatchObject({
    code: 1,
    out: expect.stringContaining(`No user has the login ${unknown}`),
  });
  expect(await isShut(unknown)).toBe(false);
});

test("no login is a mistake", () => expectMistake(run(), "--login LOGIN"));

async function isShut(at: string): Promise<boolean> {
  return ((await storedPin(at))?.tries ?? 0) > 0 || (await passwordsAt(at)) > 0;
}

async function shut(): Promise<void> {
  await failPasswords(login, 1, "198.51.100.4");
  await storeMadePin(login, 1, { hmac: "h", salt: "s" });
  await changePin(login, { tries: 20 });
}
