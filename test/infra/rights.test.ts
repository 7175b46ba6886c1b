import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { type GuardedPartition, guardedPartitions } from "../../infra/functions/function-row.ts";
import { functions } from "../../infra/functions/functions.ts";
import { queues } from "../../infra/functions/queues.ts";
import { stageNames } from "../../infra/stages/stages.ts";
import { root } from "../../infra/support/root.ts";
import { type Statement, stackOf, useStack } from "./stack.ts";

const [stack, full] = [await useStack(), stackOf("full")];

/** Actions that AWS gives for all resources or for none, each with the reason. */
const withoutResource: Readonly<Record<string, string>> = {
  "xray:PutTraceSegments": "a trace has no ARN",
  "xray:PutTelemetryRecords": "a trace has no ARN",
  "cloudwatch:DescribeAlarms": "CodeDeploy asks for all alarms at once",
  "ses:GetSuppressedDestination": "an address on the list has no ARN",
  "ses:DeleteSuppressedDestination": "an address on the list has no ARN",
};

/** AWS End User Messaging sends SMS for SNS, which asks in its caller's name: for all resources, and nobody else may. */
const viaSns = JSON.stringify({ StringEquals: { "aws:CalledViaLast": "sns.amazonaws.com" } });

/** The rights of those who answer alarms to look at anything, by verbs that only look: AWS names new ones as services grow. */
const looks = /^OnCallRole.* [a-z0-9-]+:(BatchGet|Describe|Get|GET|List|Lookup|StopQuery)/;

const stageNamesAndFull = [...stageNames, "full"];

test.each(
  stageNamesAndFull,
)("in %s no right is for every action of a service, or for every resource but for what has none to name", (name) => {
  for (const { role, statement } of allowed(name)) {
    const { NotAction, Action = [], Resource, Condition } = statement;
    const isViaSns = JSON.stringify(Condition) === viaSns;
    const actions = [Action].flat().filter((action) => {
      const isSms = action.startsWith("sms-voice:");
      expect(isSms && !isViaSns, `${role} ${action}`).toBe(false);
      return !isSms && !looks.test(`${role} ${action}`);
    });
    const isForAll = [Resource].flat().includes("*");
    const isWide = (action: string) => action.includes("*") || (isForAll && !Object.hasOwn(withoutResource, action));
    expect([NotAction, actions.filter(isWide)], role).toEqual([undefined, []]);
    // A phone number has no ARN: the right to send it an SMS is that to publish to anything but topics and endpoints.
    if (Resource === undefined) expect(actions, role).toEqual(["sns:Publish"]);
  }
});

test("a function that is taken over reaches the guarded partitions of the table that its row names, and no others", () => {
  for (const [name, { table = [], guarded = [] }] of Object.entries(functions)) {
    const kept = guardedPartitions.filter((each) => !guarded.includes(each)).map((each) => each.replace(/#$/, "#*"));
    for (const { Action, Resource, Condition } of stack.rightsOf(name)) {
      const isTable = [Resource].flat().some((each) => /^Records.*Table/.test(attributeOf(each) ?? ""));
      const actions = [Action].flat().filter((action) => table.some((each) => action === `dynamodb:${each}`));
      if (!isTable || actions.length === 0 || [onlyPublicKeys, onlyUsers].includes(JSON.stringify(Condition))) continue;
      // A call that names no key at all would meet a condition for all values.
      const without = { "dynamodb:LeadingKeys": "false" };
      expect(Condition, name).toEqual({
        "ForAllValues:StringNotLike": { "dynamodb:LeadingKeys": kept },
        Null: without,
      });
    }
  }
});

test("D46: a function that verifies API keys reads users item by item, where its row names no right to more", () => {
  for (const [name, { verifiesTokens, table = [], guarded = [] }] of Object.entries(functions)) {
    const reads = table.includes("GetItem") && guarded.includes("USER#");
    const own = stack.rightsOf(name).filter(({ Condition }) => JSON.stringify(Condition) === onlyUsers);
    const actions = own.map(({ Action }) => Action);
    expect(actions, name).toEqual(verifiesTokens && !reads ? ["dynamodb:GetItem"] : []);
  }
});

test("a condition on partitions stands beside actions alone that name one: it holds for a request that names none", () => {
  const reads = ["GetItem", "BatchGetItem", "Query"];
  const writes = ["PutItem", "BatchWriteItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"];
  const naming = [...reads, ...writes];
  const guarded = allowed("local").filter(({ statement }) =>
    JSON.stringify(statement.Condition)?.includes("LeadingKeys"),
  );
  expect(guarded.length).toBeGreaterThan(20);
  for (const { role, statement } of guarded) {
    const actions = [statement.Action].flat().map((action) => action?.replace("dynamodb:", ""));
    expect(naming, role).toEqual(expect.arrayContaining(actions));
  }
});

test("a function sends to the queues that its row names, takes from those whose worker it is, and does nothing else with any", () => {
  const { id: quarantine } = full.one("AWS::SQS::Queue", "StreamQuarantine");
  const queueOf = (name: string) =>
    full.one("AWS::SQS::Queue", `${name.charAt(0).toUpperCase()}${name.slice(1)}Queue`).id;
  const may = (queue: unknown, ...actions: string[]) => actions.map((action) => `${action} ${queue}`);
  for (const [name, { sendsTo = [], readsStream }] of Object.entries(functions)) {
    const consumed = Object.entries(queues).filter(([, { worker }]) => worker === name);
    const wanted = [
      ...[...sendsTo.map(queueOf), ...(readsStream ? [quarantine] : [])].flatMap((each) =>
        may(each, "sqs:SendMessage"),
      ),
      ...consumed.flatMap(([each]) =>
        may(queueOf(each), "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
      ),
    ];
    const reached = full.rightsOf(name).flatMap(({ Action = [], Resource }) => {
      const actions = [Action].flat().filter((each) => each.startsWith("sqs:"));
      return [Resource].flat().flatMap((each) => may(attributeOf(each), ...actions));
    });
    expect(reached.toSorted(), name).toEqual(wanted.toSorted());
  }
});

test("the role of a schedule may call its own function, and do nothing else", () => {
  const schedules = full.all("AWS::Scheduler::Schedule");
  expect(schedules.length).toBeGreaterThan(1);
  for (const { id, properties } of schedules) {
    const { Arn, RoleArn } = properties.Target;
    const Resource = [Arn, { "Fn::Join": ["", [Arn, ":*"]] }];
    const wanted = [{ Action: "lambda:InvokeFunction", Effect: "Allow", Resource }];
    expect(full.rights().get(RoleArn["Fn::GetAtt"][0]), id).toEqual(wanted);
  }
});

test("the right to send SMS reaches no topic and no endpoint, of whatever account and region", () => {
  const sending = allowed("local").filter(({ statement }) => statement.NotResource !== undefined);
  expect(sending.length).toBeGreaterThan(0);
  for (const { role, statement } of sending) {
    expect(statement.NotResource, role).toEqual({
      "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, ":sns:*:*:*"]],
    });
  }
});

test("passwords, logins, pins, reset tokens and counts of limits are reached by account functions alone, public keys by the one that rotates", () => {
  const reaching = (partition: GuardedPartition) =>
    Object.entries(functions).flatMap(([name, { guarded = [] }]) => (guarded.includes(partition) ? [name] : []));
  const others = Object.entries(functions).filter(([, { area }]) => !["accounts", "sessions"].includes(area));
  expect(reaching("KEYS")).toEqual(["rotate-signing-key"]);
  const outside = (partition: GuardedPartition) =>
    reaching(partition).filter((name) => others.some(([other]) => other === name));
  expect(reaching("PASSWORD#")).toEqual(["sign-in", "create-api-key", "set-password"]);
  // They ask for the passcode, and reach no password.
  const paying = ["bulk-update-timesheets", "undo-change"];
  expect(reaching("PASSCODE#")).toEqual(paying);
  // An undo restores what is there.
  const changing = ["bulk-update-timesheets", "adjust-job-timers", "undo-change"];
  expect(reaching("CHANGE#")).toEqual(changing);
  // Whoever could write there could name or hide changes.
  expect(reaching("HISTORY#")).toEqual(["list-changes", "keep-history"]);
  expect(outside("LOGIN#")).toEqual(["deliver-pin"]);
  expect(outside("RESET#")).toEqual([]);
  expect(outside("PIN#")).toEqual(["deliver-pin"]);
  // They count the tries of passcodes, and messages.
  expect(outside("LIMIT#")).toEqual(["create-api-key", ...paying, "deliver-pin", "notify-password-changed"]);
  // list-timesheets is not among them: a driver's user names the profile whose timesheets they are.
  for (const name of ["list-jobs", "list-invoices", "keep-history"]) {
    expect(reaching("USER#")).not.toContain(name);
  }
});

test("D6, D9: a secret is read by those functions that need it, replaced by the one that rotates, and touched by no other", () => {
  const rights = full.rights();
  const touching = (start: string) => {
    const { id } = full.one("AWS::SecretsManager::Secret", start);
    const found = [...full.functions()].map(([name, { properties }]) => {
      const own = rights.get(properties.Role["Fn::GetAtt"][0]) ?? [];
      const reaching = own.filter(({ Resource }) => [Resource].flat().some((each) => refOf(each) === id));
      const actions = reaching.flatMap(({ Action = [] }) => Action);
      return [name, actions.map((each) => each.replace(/^secretsmanager:/, ""))] as const;
    });
    return Object.fromEntries(found.filter(([, actions]) => actions.length > 0));
  };
  const read = ["GetSecretValue"];
  const signing = { "refresh-token": read, "sign-in": read, "rotate-signing-key": [...read, "PutSecretValue"] };
  expect(touching("SigningKeys")).toEqual(signing);
  const byAddress = globSync(join(root, "functions/*/*.ts"))
    .filter((file) => readFileSync(file, "utf8").includes("clientAddressOf("))
    .map((file) => [basename(file, ".ts"), read]);
  expect(byAddress.length).toBeGreaterThan(3);
  expect(touching("EdgeSecret")).toEqual(Object.fromEntries(byAddress));
});

test("a function finds in its environment what it has a right to: the table, secrets, queues and the bus", () => {
  const own =
    /^(secretsmanager:GetSecretValue|sqs:SendMessage|events:PutEvents|dynamodb:(?!DescribeStream|GetRecords|GetShard|ListStreams).*)$/;
  for (const [name, { properties }] of full.functions()) {
    const known = JSON.stringify(properties.Environment.Variables);
    const reaching = full.rightsOf(name).filter(({ Action }) => [Action].flat().some((each) => own.test(String(each))));
    const ids = reaching.flatMap(({ Resource }) => Resource).flatMap((each) => refOf(each) ?? attributeOf(each) ?? []);
    expect(
      ids.filter((id) => !known.includes(`"${id}"`)),
      name,
    ).toEqual([]);
  }
});

/** The condition of the right to read the public keys, which stands beside the others. */
const onlyPublicKeys = JSON.stringify({
  "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["KEYS"] },
  Null: { "dynamodb:LeadingKeys": "false" },
});

/** The condition of the right to read users and their API keys. */
const onlyUsers = JSON.stringify({
  "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["USER#*"] },
  Null: { "dynamodb:LeadingKeys": "false" },
});

function allowed(name: string): { role: string; statement: Statement }[] {
  return [...stackOf(name).rights()].flatMap(([role, statements]) =>
    statements.map((statement) => ({ role, statement })),
  );
}

function attributeOf(resource: unknown): string | undefined {
  return (resource as { "Fn::GetAtt"?: string[] } | undefined)?.["Fn::GetAtt"]?.[0];
}

function refOf(resource: unknown): string | undefined {
  return (resource as { Ref?: string } | undefined)?.Ref;
}
