import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { findPython, neededPython } from "../../../infra/tools/cli/python.ts";
import { awsCommandsIn } from "../runbook/shell-commands.ts";

const commands = awsCommandsIn(readFileSync(join(root, "infra/RUNBOOK.md"), "utf8"));
const files = mkdtempSync(join(tmpdir(), "workforce-runbook-"));
afterAll(() => rmSync(files, { recursive: true }));

describe("every command of the runbook", () => {
  const python = installCli();
  test.skipIf("obstacle" in python)(
    `is one that the AWS CLI takes${"obstacle" in python ? ` (not shown: ${python.obstacle})` : ""}`,
    () => {
      expect(commands.length).toBeGreaterThan(30);
      const value = join(files, "value.json");
      writeFileSync(value, "{}");
      const given = commands.map((command) =>
        command
          .map((word) => (word === "file:///dev/stdin" ? `file://${value}` : word))
          .map((word) => (word === "/dev/stdout" ? join(files, "out") : word)),
      );
      const { stdout, stderr } = spawnSync(
        "python" in python ? python.python : "",
        [join(root, "test/system/programs/parse_commands.py"), "http://127.0.0.1:9"],
        {
          encoding: "utf8",
          input: JSON.stringify(given),
          env: {
            PATH: process.env.PATH,
            HOME: files,
            AWS_ACCESS_KEY_ID: "1",
            AWS_SECRET_ACCESS_KEY: "1",
            AWS_REGION: "eu-west-2",
            AWS_DEFAULT_REGION: "eu-west-2",
            AWS_MAX_ATTEMPTS: "1",
            AWS_EC2_METADATA_DISABLED: "true",
          },
        },
      );
      expect(stderr).toBe("");
      const answers = JSON.parse(stdout) as { command: string[]; said: string }[];
      expect(
        answers.filter(({ said }) => !/Could not connect to the endpoint URL|Connection refused/.test(said)),
      ).toEqual([]);
    },
    300_000,
  );
});

/** The Python that has the CLI, in a folder of its own; where there is none, why. */
function installCli(): { python: string } | { obstacle: string } {
  const system = findPython();
  if (!system) return { obstacle: `it needs ${neededPython}` };
  const requirements = join(root, "test/system/programs/requirements.txt");
  const place = join(root, ".local/aws-cli");
  const [python, installed] = [join(place, "bin/python"), join(place, "installed.txt")];
  const wanted = readFileSync(requirements, "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return { python };
  const isMade = spawnSync(system, ["-m", "venv", place]).status === 0;
  const isInstalled =
    isMade && spawnSync(python, ["-m", "pip", "install", "--no-input", "-r", requirements]).status === 0;
  if (!isInstalled) return { obstacle: "the AWS CLI could not be installed" };
  writeFileSync(installed, wanted);
  return { python };
}
