import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { findPython, neededPython } from "../../../infra/tools/cli/python.ts";
import { stackOf } from "../../infra/stack.ts";
import { awsCommandsIn } from "./shell-commands.ts";

const commands = awsCommandsIn(readFileSync(join(root, "infra/RUNBOOK.md"), "utf8"));
const files = mkdtempSync(join(tmpdir(), "workforce-runbook-"));
afterAll(() => rmSync(files, { recursive: true }));

/** What an administrator does: no role that answers alarms at night has a right to it. */
const ofAdministrators = [
  "backup delete-backup-vault",
  "backup delete-recovery-point",
  "cloudformation delete-stack",
  "cloudformation update-termination-protection",
  "cloudtrail lookup-events",
  "dynamodb delete-item",
  "dynamodb delete-table",
  "dynamodb query",
  "dynamodb update-continuous-backups",
  "dynamodb update-table",
  "dynamodb update-time-to-live",
  "iam put-role-policy",
  "iam update-access-key",
  "logs create-export-task",
  "logs put-retention-policy",
  "secretsmanager delete-secret",
  "secretsmanager get-secret-value",
  "secretsmanager put-secret-value",
  "secretsmanager restore-secret",
  "ses delete-suppressed-destination",
];

test("words are read as the shell reads them", () => {
  const page = '```sh\nx=$(aws sqs a --b "$(c "d")e" \\\n  --f \'{"g":1}\' | h) && aws i j\n```\nor `aws k l M`.';
  expect(awsCommandsIn(page)).toEqual([
    ["sqs", "a", "--b", "1e", "--f", '{"g":1}'],
    ["i", "j"],
    ["k", "l", "M"],
  ]);
});

describe("every command of the runbook", () => {
  test("is in the policy of the role on call, or is an administrator's", () => {
    const rights = stackOf("full")
      .all("AWS::IAM::Role")
      .find(({ properties }) => properties.RoleName === "workforce-full-on-call");
    const statements: { Effect: string; Action: string | string[] }[] =
      rights?.properties.Policies[0].PolicyDocument.Statement;
    const allowed = statements.flatMap(({ Effect, Action }) => (Effect === "Allow" ? Action : []));
    const mayDo = (action: string) =>
      allowed.some((each) => each === action || (each.endsWith("*") && action.startsWith(each.slice(0, -1))));
    const refused = commands.filter((command) => !mayDo(actionOf(command))).map(nameOf);
    expect([...new Set(refused)].filter((name) => !isOpen(name)).toSorted()).toEqual(expect.arrayContaining([]));
    expect([...new Set(refused)].filter((name) => !isOpen(name) && !ofAdministrators.includes(name))).toEqual([]);
    expect(ofAdministrators.filter((name) => !commands.some((command) => nameOf(command) === name))).toEqual([]);
  });

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

function nameOf([service = "", operation = ""]: readonly string[]): string {
  return `${service.replace(/v2$/, "")} ${operation}`;
}

/** What needs no right, or another's name. */
function isOpen(name: string): boolean {
  return name === "sts get-caller-identity" || name.startsWith("acm describe") || name.startsWith("dynamodbstreams");
}

/** The right that a command needs. */
function actionOf([service = "", operation = ""]: readonly string[]): string {
  const pascal = operation.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  return `${service.replace(/v2$/, "")}:${pascal === "Invoke" ? "InvokeFunction" : pascal}`;
}

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
