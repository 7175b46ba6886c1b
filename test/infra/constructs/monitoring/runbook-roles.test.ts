import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../../infra/local/stack/synthesis.ts";
import { commandsByRole } from "../../../system/runbook/commands-by-role.ts";
import { repairCommands } from "../../../system/runbook/repair-commands.ts";
import { awsCommandsIn } from "../../../system/runbook/shell-commands.ts";
import { type Statement, stackOf } from "../../stack.ts";

const full = stackOf("full");
const page = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");
const commands = awsCommandsIn(page);
const roles = { "on call": actionsOf("OnCallRole"), repair: actionsOf("RepairRole") };

/** The commands of an administrator: no role that answers alarms at night has a right to them. */
const ofAdministrators = [
  "apigateway update-stage",
  "backup delete-backup-vault",
  "backup delete-backup-vault-lock-configuration",
  "backup delete-recovery-point",
  "cloudformation update-termination-protection",
  "cloudwatch disable-alarm-actions",
  "cloudwatch enable-alarm-actions",
  "dynamodb update-contributor-insights",
  "dynamodb update-table",
  "dynamodbstreams get-records",
  "dynamodbstreams get-shard-iterator",
  "iam delete-role-policy",
  "iam put-role-policy",
  "iam update-access-key",
  "lambda get-function-configuration",
  "scheduler get-schedule",
  "scheduler update-schedule",
  "secretsmanager delete-secret",
  "secretsmanager describe-secret",
  "secretsmanager get-secret-value",
  "secretsmanager list-secrets",
  "secretsmanager put-secret-value",
  "secretsmanager remove-regions-from-replication",
  "secretsmanager restore-secret",
  "secretsmanager update-secret-version-stage",
];

test("every command of the runbook is in the policy of a role for people, for some resource, or is an administrator's", () => {
  const refused = new Set(
    commands
      .filter((command) => !mayDo("on call", actionOf(command)) && !mayDo("repair", actionOf(command)))
      .map(nameOf),
  );
  const own = [...refused].filter((name) => name !== "sts get-caller-identity");
  expect(commands.length).toBeGreaterThan(30);
  expect(own.toSorted()).toEqual(ofAdministrators);
});

/** The chapters that somebody follows at night. Switching to another table is an administrator's, as its chapter says. */
const atNight =
  ["When an alarm fires", "What has no alarm", "Repair"]
    .map(chapterOf)
    .join("")
    .split(/^#{3} (?:Restore the table|Import an existing table)$/m)[0] ?? "";

test("every command that an alarm leads to is an administrator's, or the role that the runbook names may run it", () => {
  const found = commandsByRole(atNight);
  expect(new Set(found.map(({ role }) => role))).toEqual(new Set(["administrator", "on call", "repair"]));
  const refused = found.flatMap(({ role, words }) =>
    role === "administrator" || mayRun(role, words) ? [] : [`${role}: ${words.join(" ")}`],
  );
  expect(refused).toEqual([]);
});

type Role = keyof typeof roles;

function mayRun(role: Role, [program, service = "", ...words]: readonly string[]): boolean {
  if (program === "aws") return service === "sts" || mayDo(role, actionOf([service, ...words]));
  const [tool = ""] = words;
  if (program !== "npm") return false;
  if (role === "repair") return repairCommands.includes(tool);
  const actions = actionsOfTool(tool);
  return actions.length > 0 && actions.every((each) => mayDo(role, each));
}

/** The rights that a command of the project needs by the calls of AWS that its own files import. */
function actionsOfTool(tool: string): string[] {
  const files = globSync([`infra/tools/${tool}.ts`, `infra/tools/${tool}/*.ts`], { cwd: root });
  const imports = files.flatMap((file) => [
    ...readFileSync(join(root, file), "utf8").matchAll(/import \{([^}]*)\} from "@aws-sdk\/client-([\w-]+)"/g),
  ]);
  return imports.flatMap(([, names = "", client = ""]) =>
    [...names.matchAll(/(\w+)Command\b/g)].map(([, name = ""]) => `${client.replace("cloudwatch-", "")}:${name}`),
  );
}

function mayDo(role: Role, action: string): boolean {
  return roles[role].some((each) => each === action || (each.endsWith("*") && action.startsWith(each.slice(0, -1))));
}

function actionsOf(role: string): string[] {
  const { Statement } = full.one("AWS::IAM::Role", role).properties.Policies[0].PolicyDocument;
  return Statement.flatMap(({ Effect, Action }: Statement) => (Effect === "Allow" ? (Action ?? []) : []));
}

function chapterOf(heading: string): string {
  const [, chapter = ""] = page.split(new RegExp(`^## ${heading}$`, "m"));
  const [text = ""] = chapter.split(/^## /m);
  expect(text.length, heading).toBeGreaterThan(100);
  return text;
}

function nameOf([service = "", operation = ""]: readonly string[]): string {
  return `${service.replace(/v2$/, "")} ${operation}`;
}

/** The services whose rights begin with another word than their commands. */
const prefixes: Readonly<Record<string, string>> = {
  dynamodbstreams: "dynamodb",
  deploy: "codedeploy",
  wafv2: "wafv2",
};

function actionOf([service = "", operation = ""]: readonly string[]): string {
  const pascal = operation.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  const prefix = prefixes[service] ?? service.replace(/v2$/, "");
  return `${prefix}:${pascal === "Invoke" ? "InvokeFunction" : pascal}`;
}
