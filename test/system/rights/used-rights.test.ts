import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import { root } from "../../../infra/support/root.ts";
import { useStack } from "../../infra/stack.ts";
import { compareRights } from "./compare-rights.ts";
import { type RecordedNeed, readRecordings } from "./recordings.ts";
import { type Condition, readRights } from "./role-rights.ts";

const stack = await useStack();
/** The tests that call handlers to see what they do. */
const needed = "test/{accounts,functions,http,system/attacks,system/faults}/**/*.test.ts";
/** Files that need no rights of their own: the one that compares times runs by itself, and calls the same as others. */
const exclude = ["test/system/attacks/known-logins/timing.test.ts"];

test("the roles of the template are read to the last: what none allows is missing in each, and an index is not used by reads of another one", () => {
  const roles = readRights(stack);
  expect(roles.map(({ caller }) => caller).toSorted()).toEqual([...stack.functions().keys()].toSorted());
  const need = (caller: string, action: string, resource: string): RecordedNeed => {
    return { caller, action, resource, context: { "dynamodb:LeadingKeys": ["COMPANY#"] } };
  };
  const made = roles.map(({ caller }) => need(caller, "dynamodb:DeleteTable", "<TABLE_NAME>"));
  expect(compareRights(roles, made).missing).toHaveLength(roles.length);
  const { unused } = compareRights(roles, [need("list-jobs", "dynamodb:Query", "<TABLE_NAME>/index/by-state")]);
  const ofJobs = unused.filter((each) => /^list-jobs may dynamodb:Query on .*\/index\//.test(each));
  expect(ofJobs.map((each) => /index\/([\w-]+)/.exec(each)?.[1])).toEqual(["by-company", "by-total"]);
});

test("a right that SNS asks for in the role's name is needed by no test, but only with the condition that SNS asked last", () => {
  const actions = ["sms-voice:SendTextMessage"];
  const via = (...values: string[]) => [{ operator: "StringEquals", key: "aws:CalledViaLast", values }];
  const unusedWith = (conditions: readonly Condition[], more: readonly string[] = []) => {
    const given = [{ actions: [...actions, ...more], resources: ["*"], isAllBut: false, conditions }];
    return compareRights([{ caller: "deliver-pin", settings: {}, given }], []).unused.map((each) => each.split(" ")[2]);
  };
  expect(unusedWith(via("sns.amazonaws.com"))).toEqual([]);
  expect(unusedWith([])).toEqual(actions);
  expect(unusedWith(via("sns.amazonaws.com", "ses.amazonaws.com"))).toEqual(actions);
  expect(unusedWith(via("sns.amazonaws.com"), ["sqs:SendMessage"])).toEqual(["sqs:SendMessage"]);
  const sending = readRights(stack).filter(({ given }) => JSON.stringify(given).includes("sms-voice:SendTextMessage"));
  expect(sending.map(({ caller }) => caller).toSorted()).toEqual(["deliver-pin", "notify-password-changed"]);
});

test("a function makes no AWS call that its role does not allow", ({ skip }) => {
  const { needs } = readRecordings();
  if (needs.length === 0) skip(report("No test of this run called a handler."));
  expect(compareRights(readRights(stack), needs).missing).toEqual([]);
});

// Keys that verify tokens are read at a file's first call, so some file has to call each function first.
test("a function has no right, and reaches no guarded partition of the table, that no test ever needs", ({ skip }) => {
  const { needs, files } = readRecordings();
  const whole = new Set(files.flatMap(({ file, isWhole }) => (isWhole ? [file] : [])));
  const absent = globSync(needed, { cwd: root, exclude }).filter((file) => !whole.has(file));
  if (absent.length > 0)
    skip(report(`${absent.length} files of tests did not run and pass as a whole, such as ${absent.toSorted()[0]}.`));
  expect(compareRights(readRights(stack), needs).unused).toEqual([]);
  const idle = Object.entries(functions).flatMap(([name, { guarded = [], table = [] }]) => {
    const own = needs.filter(
      ({ caller, action }) => caller === name && table.some((each) => action === `dynamodb:${each}`),
    );
    const reached = new Set(own.flatMap(({ context }) => context["dynamodb:LeadingKeys"] ?? []));
    return guarded.filter((each) => !reached.has(each)).map((each) => `${name} may reach ${each}, which no test needs`);
  });
  expect(idle).toEqual([]);
});

/** The usual report shows no reason of what is skipped. */
function report(reason: string): string {
  process.stderr.write(`Skipped. ${reason}\n`);
  return reason;
}
