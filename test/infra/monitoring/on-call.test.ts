import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { namesOf } from "../../../infra/stages/names.ts";
import { awsCommandsIn } from "../../system/runbook/shell-commands.ts";
import { type Statement, stackOf } from "../stack.ts";

const commands = awsCommandsIn(readFileSync(join(root, "infra/RUNBOOK.md"), "utf8"));

/** What an administrator does: no role that answers alarms at night has a right to it. */
const ofAdministrators = [
  "backup delete-backup-vault",
  "backup delete-recovery-point",
  "cloudformation update-termination-protection",
  "cloudtrail lookup-events",
  "dynamodb update-continuous-backups",
  "dynamodb update-table",
  "dynamodb update-time-to-live",
  "iam put-role-policy",
  "iam update-access-key",
  "logs put-retention-policy",
  "secretsmanager delete-secret",
  "secretsmanager get-secret-value",
  "secretsmanager put-secret-value",
  "secretsmanager restore-secret",
  "secretsmanager update-secret-version-stage",
  "ses delete-suppressed-destination",
];

test("every command of the runbook is in the policy of the role on call, for some resource, or is an administrator's", () => {
  const allowed = statementsOf("Allow").flatMap(({ Action }) => Action ?? []);
  const mayDo = (action: string) =>
    allowed.some((each) => each === action || (each.endsWith("*") && action.startsWith(each.slice(0, -1))));
  const refused = new Set(commands.filter((command) => !mayDo(actionOf(command))).map(nameOf));
  const own = [...refused].filter((name) => name !== "sts get-caller-identity");
  expect(commands.length).toBeGreaterThan(30);
  expect(own.toSorted()).toEqual(ofAdministrators);
});

test("whoever answers alarms reads no secret, changes no live record, and has shown a second factor", () => {
  expect(statementsOf("Deny")).toMatchObject([{ Action: "secretsmanager:*", Resource: "*" }]);
  const { Statement: trust } = role().AssumeRolePolicyDocument;
  expect(trust).toMatchObject([{ Condition: { Bool: { "aws:MultiFactorAuthPresent": "true" } } }]);
  const live = new RegExp(`:table/${namesOf("full").table}("|$)`);
  for (const { Action, Resource } of statementsOf("Allow")) {
    const items = [Action ?? []]
      .flat()
      .filter((each) => /^dynamodb:(Get|Put|Update|Delete|Batch|Query|Scan)/.test(each));
    if (items.length > 0) expect(JSON.stringify(Resource)).not.toMatch(live);
  }
});

test("whoever answers alarms may roll a release of the stage back, and no other stage's", () => {
  const moving = statementsOf("Allow").filter(({ Action }) => [Action].flat().includes("lambda:UpdateAlias"));
  expect(moving).toMatchObject([{ Action: ["lambda:GetAlias", "lambda:UpdateAlias"] }]);
  expect(JSON.stringify(moving[0]?.Resource)).toContain("function:workforce-full-*");
});

test("a stage that notifies nobody has no role for it", () => {
  const roles = stackOf("dev")
    .all("AWS::IAM::Role")
    .map(({ properties }) => properties.RoleName);
  expect(roles).not.toContain(namesOf("dev").onCallRole);
});

function role() {
  const found = stackOf("full")
    .all("AWS::IAM::Role")
    .find(({ properties }) => properties.RoleName === namesOf("full").onCallRole);
  if (!found) throw new Error("There is no role on call");
  return found.properties;
}

function statementsOf(effect: "Allow" | "Deny"): Statement[] {
  const { Statement: statements } = role().Policies[0].PolicyDocument;
  return statements.filter(({ Effect }: Statement) => Effect === effect);
}

function nameOf([service = "", operation = ""]: readonly string[]): string {
  return `${service.replace(/v2$/, "")} ${operation}`;
}

/** The right that a command needs. */
function actionOf([service = "", operation = ""]: readonly string[]): string {
  const pascal = operation.replaceAll(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());
  return `${service.replace(/v2$/, "").replace("dynamodbstreams", "dynamodb")}:${pascal === "Invoke" ? "InvokeFunction" : pascal}`;
}
