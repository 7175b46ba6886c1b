import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { awsCommandsIn } from "./shell-commands.ts";

const runbook = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");
const commands = awsCommandsIn(runbook);

test("words are read as the shell reads them", () => {
  const page = '```sh\nx=$(aws sqs a --b "$(c "d")e" \\\n  --f \'{"g":1}\' | h) && aws i j\n```\nor `aws k l M`.';
  expect(awsCommandsIn(page)).toEqual([
    ["sqs", "a", "--b", "100e", "--f", '{"g":1}'],
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
