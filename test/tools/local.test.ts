import { afterEach, expect, test, vi } from "vitest";
import { writeJsonFile } from "../../infra/local/json-file.ts";
import { machineFile } from "../../infra/local/local-aws.ts";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { askLocal } from "../../infra/tools/local.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { runTool } from "./machine.ts";

const login = "ines@example.com";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Answers for a machine that replaces no pin. Each answer takes two seconds of the clock. */
function answerForMachine(): void {
  const sent_at = new Date().toISOString();
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.stubGlobal("fetch", async (url: string, { body = "{}" }: { body?: string } = {}) => {
    vi.setSystemTime(Date.now() + 2_000);
    const { user } = JSON.parse(body);
    if (url.endsWith("/confirmation")) return Response.json({ user: { reset_password_token: `token of ${user.pin}` } });
    return Response.json([{ to: login, text: "Your pin is 123456", sent_at }]);
  });
}

test.each([
  ["pin", "123456"],
  ["reset-token", "token of 123456"],
])("%s of a login whose pin still counts takes this one", async (word, printed) => {
  const directory = newFolder();
  writeJsonFile(machineFile(directory), { baseUrl: "http://machine" });
  answerForMachine();
  expect(await runTool(() => askLocal([word, login], directory))).toEqual({ code: 0, out: `${printed}\n`, err: "" });
});

test.each([
  [[], "Say one of url, pin, reset-token"],
  [["pins"], "Did you mean pin?"],
  [["pin"], "npm run -s local -- pin LOGIN"],
  [["url", "somebody"], "npm run -s local -- url"],
])("local %j is a mistake in the call", async (parameters, message) => {
  const failing = runTool(() => askLocal(parameters, "nowhere"));
  await expect(failing).rejects.toThrow(UsageError);
  await expect(failing).rejects.toThrow(message);
});
