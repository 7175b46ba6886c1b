import { expect, test } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { unlock } from "../../infra/tools/unlock.ts";
import { countMessage } from "../../shared/people/message-limits.ts";
import { scanItems } from "../support/records/items.ts";
import { failPasswords, failuresOf, passwordsAt } from "../support/requests/passwords.ts";
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

test("--all resets every limit of the local machine: logins, addresses and messages; all else stays", async () => {
  const { driver, operatorA } = demoUsers;
  await shut();
  await failPasswords(operatorA.login, 1, "198.51.100.5");
  const sms = { channel: "sms", perDay: 1, client: undefined, registers: false } as const;
  expect(await countMessage(sms, new Date())).toBe(1);
  const before = await keptItems();
  expect(await run("--all")).toMatchObject({ code: 0, out: expect.stringContaining("All limits begin again") });
  for (const each of [driver, operatorA]) expect(await isShut(each.login)).toBe(false);
  expect(await failuresOf("198.51.100.5")).toBe(0);
  expect(await countMessage(sms, new Date())).toBe(1);
  const after = await keptItems();
  // The demo records alone: how many of them are counted by now is up to the workers.
  expect(before.size).toBeGreaterThan(500);
  expect([...before].filter((key) => !after.has(key))).toEqual([]);
});

test("no login, and --all beside a stage or a login, are mistakes", async () => {
  await expectMistake(run(), "--login LOGIN");
  for (const other of [
    ["--stage", "dev"],
    ["--login", login],
  ])
    await expectMistake(run("--all", ...other), "use it alone");
});

async function isShut(at: string): Promise<boolean> {
  return ((await storedPin(at))?.tries ?? 0) > 0 || (await passwordsAt(at)) > 0;
}

/** The keys of all items that no limit counts by. */
async function keptItems(): Promise<Set<string>> {
  return new Set([...(await scanItems()).keys()].filter((name) => !/^\["(LIMIT|PIN)#/.test(name)));
}

async function shut(): Promise<void> {
  await failPasswords(login, 1, "198.51.100.4");
  await storeMadePin(login, 1, { hmac: "h", salt: "s" });
  await changePin(login, { tries: 20 });
}
