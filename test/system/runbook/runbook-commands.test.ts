import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { findPython, neededPython } from "../../../infra/tools/cli/python.ts";
import { awsCommandsIn } from "./shell-commands.ts";

const runbook = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");
const commands = awsCommandsIn(runbook);
const files = mkdtempSync(join(tmpdir(), "workforce-runbook-"));
afterAll(() => rmSync(files, { recursive: true }));

test("words are read as the shell reads them", () => {
  const page = '```sh\nx=$(aws sqs a --b "$(c "d")e" \\\n  --f \'{"g":1}\' | h) && aws i j\n```\nor `aws k l M`.';
  expect(awsCommandsIn(page)).toEqual([
    ["sqs", "a", "--b", "1e", "--f", '{"g":1}'],
    ["i", "j"],
    ["k", "l", "M"],
  ]);
});

test("no command has a secret in it, as shells keep a history of commands", () => {
  const values = commands.flatMap((command) => {
    const at = command.findIndex((word) => /^--(secret-string|secret-binary|password|plaintext)$/.test(word));
    return at < 0 ? [] : [command[at + 1]];
  });
  expect(values.length).toBeGreaterThan(1);
  expect(new Set(values)).toEqual(new Set(["file:///dev/stdin"]));
});

test("a restore is one of AWS Backup, by the stack's own role, and waits as long as it takes", () => {
  const restore = commands.find(([service, operation]) => service === "backup" && operation === "start-restore-job");
  expect(restore?.join(" ")).toMatch(/--iam-role-arn arn:aws:iam::\S+:role\/workforce-\S+-restore/);
  expect(runbook).not.toMatch(/restore-table-from-backup|wait table-exists/);
});

test("no command waits for a long call, which networks cut off and the CLI then repeats", () => {
  const invoking = [...runbook.matchAll(/aws lambda invoke [^\n`]*/g)].map(([command]) => command);
  const waiting = invoking.filter((command) => !command.includes("--invocation-type Event"));
  expect(waiting.length).toBeLessThan(invoking.length);
  // A key is made in seconds, and whoever replaces one that leaked has to see that it is there.
  for (const command of waiting) expect(command).toContain("rotate-signing-key");
});

test.each([
  "Before you begin",
  "Severity",
  "What takes an administrator",
  "Roll back",
  "Change a stored shape",
  "Restore the table",
  "Erase a person",
  "A flood",
  "Stolen passwords are tried",
  "SMS are pumped",
  "Another system sends too much",
  "Compromise",
  "Quotas",
  "Upgrades",
  "An outage of the region",
])("the runbook says what to do about: %s", (heading) => {
  const [, section = ""] = runbook.split(new RegExp(`^##+ ${heading}$`, "m"));
  expect(section.split(/^#+ /m)[0]?.trim().length, heading).toBeGreaterThan(100);
});

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
        [join(root, "test/system/runbook/parse_commands.py"), "http://127.0.0.1:9"],
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
  const requirements = join(root, "test/system/runbook/requirements.txt");
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
