import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { flagOption, readArguments, textOption } from "../../../infra/tools/cli/command.ts";
import { runProgram } from "../machine.ts";

test("a command whose reader closes the pipe, such as head, ends quietly", async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../../infra/tools/openapi.ts")]);
  let err = "";
  child.stderr.on("data", (text) => {
    err += text;
  });
  // The document is longer than a pipe holds.
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = await once(child, "close");
  expect({ code, err }).toEqual({ code: 0, err: "" });
});

test("any other fault of the output is thrown", async () => {
  await runProgram(() => 0);
  expect(() => process.stdout.emit("error", new Error("EIO"))).toThrow("EIO");
});

test.each(["client", "token"])("the program of npm run %s answers", async (name) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, `../../../infra/tools/${name}.ts`), "--help"]);
  expect(await text(child.stdout)).toMatch(new RegExp(`^npm run ${name} `));
});

const options = { as: textOption, "dry-run": flagOption, yes: flagOption } as const;

test("a call whose options arrived is not asked for a forgotten --", () => {
  const read = () => readArguments("token", "", { args: ["--yes", "invoice"], options });
  expect(read).toThrow(/^Unexpected argument 'invoice'[^?]*\(npm run token -- --help\)$/);
});

test.each<[string[], Readonly<Record<string, string>>, string | undefined]>([
  // npm takes --as of `npm run token --as LOGIN`, and leaves the login.
  [["driver@workforce.example"], {}, "Unexpected argument 'driver@workforce.example'.* did you forget `--`"],
  [[], { npm_config_dry_run: "true" }, "npm took --dry-run for itself: did you forget `--`"],
  [["--dry-run"], { npm_config_dry_run: "true" }, undefined],
  [[], { npm_config_dry_run: "true", npm_lifecycle_event: "test" }, undefined],
  // A user's .npmrc may say so.
  [[], { npm_config_yes: "true" }, undefined],
])("a call %j that npm runs with %j asks for a forgotten --, where one is: %s", (args, variables, said) => {
  vi.stubEnv("npm_lifecycle_event", "token");
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const read = () => readArguments("token", "", { args, options });
  if (said === undefined) expect(read).not.toThrow();
  else expect(read).toThrow(new RegExp(`${said}\\? \\(npm run token -- --help\\)$`));
});
