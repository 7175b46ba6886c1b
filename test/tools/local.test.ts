import { afterEach, expect, test, vi } from "vitest";
import { machineFile } from "../../infra/local/local-aws.ts";
import type { InboxEntry } from "../../infra/runtime/aws/inbox.ts";
import { writeJsonFile } from "../../infra/support/json-file.ts";
import { askLocal } from "../../infra/tools/local.ts";
import { pinRules } from "../../shared/people/pins.ts";
import { parseLogin } from "../../shared/people/typed-login.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { expectMistake, runTool } from "./machine.ts";

const login = "ines@example.com";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const minute = 60_000;

/** Answers for a machine with this inbox, and more in it once a pin is requested. Each answer takes two seconds of the clock. */
function answerForMachine(inbox: readonly InboxEntry[], next: readonly InboxEntry[] = []): string {
  const directory = newFolder();
  writeJsonFile(machineFile(directory), { baseUrl: "http://machine" });
  let shown = inbox;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.stubGlobal("fetch", async (url: string, { body }: { body?: string } = {}) => {
    vi.setSystemTime(Date.now() + 2_000);
    const { user } = JSON.parse(body ?? "{}");
    if (url.endsWith("/_local/inbox")) return Response.json(shown);
    if (url.endsWith("/confirmation")) return Response.json({ user: { reset_password_token: `token of ${user.pin}` } });
    if (parseLogin(user.login, "GB")?.value !== login)
      return Response.json({ detail: "login is refused" }, { status: 422 });
    shown = [...next, ...inbox];
    return Response.json({ user: { email: login, phone_number: null } });
  });
  return directory;
}

function message(pin: string, minutesAgo: number, to = login): InboxEntry {
  const sent_at = new Date(Date.now() - minutesAgo * minute).toISOString();
  return { channel: "email", to, subject: null, text: `Your pin is ${pin}`, html: null, sent_at };
}

const ask = (directory: string, ...parameters: string[]) => runTool(() => askLocal(parameters, directory));

test.each([
  ["pin", "123456"],
  ["reset-token", "token of 123456"],
])("%s of a login whose pin still counts takes this one", async (word, printed) => {
  const directory = answerForMachine([message("123456", 5), message("654321", 6)]);
  expect(await ask(directory, word, login)).toEqual({ code: 0, out: `${printed}\n`, err: "" });
});

test("a new pin to the login is printed, and none to another", async () => {
  const others = [message("111111", 0, "somebody@example.com"), message("222222", 0)];
  const directory = answerForMachine([message("123456", 5)], others);
  expect(await ask(directory, "pin", login)).toMatchObject({ out: "222222\n" });
  expect(await ask(answerForMachine([], others), "pin", login)).toMatchObject({ out: "222222\n" });
});

test("D7: the login may be typed in any form", async () => {
  const directory = answerForMachine([message("123456", 5)]);
  expect(await ask(directory, "reset-token", "\u200bＩｎｅｓ@example.com")).toMatchObject({ out: "token of 123456\n" });
});

test("a pin that has ended is not printed: without a new one there is none", async () => {
  const refused = ask(answerForMachine([message("123456", pinRules.lifeMinutes + 1)]), "pin", login);
  await expect(refused).rejects.toThrow(`No pin for ${login} arrived`);
});

test("what the service refuses is said as it says it", async () => {
  await expect(ask(answerForMachine([]), "pin", "ines")).rejects.toThrow("422: login is refused");
});

test("without a machine the command says how to start one", async () => {
  await expect(ask(newFolder(), "url")).rejects.toThrow("start it with npm start");
  expect(await ask(answerForMachine([]), "url")).toMatchObject({ code: 0, out: "http://machine\n" });
});

test.each([
  [[], "Say one of url, dynamodb, pin, reset-token, queues"],
  [["pins"], "Did you mean pin?"],
  [["pin"], "npm run -s local -- pin LOGIN"],
  [["url", "somebody"], "npm run -s local -- url"],
  [["redrive"], "npm run -s local -- redrive QUEUE"],
  [["constructor"], 'There is no word "constructor"'],
])("local %j is a mistake in the call", async (parameters, message) => {
  await expectMistake(ask("nowhere", ...parameters), message);
});
