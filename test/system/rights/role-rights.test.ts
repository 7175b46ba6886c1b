import { describe, expect, test } from "vitest";
import { useStack } from "../../infra/stack.ts";
import { compareRights } from "./compare-rights.ts";
import { neededRights } from "./needed-rights.ts";
import type { RecordedNeed } from "./recordings.ts";
import { type FunctionRights, readRights } from "./role-rights.ts";

const stack = await useStack();
const table = "<TABLE_NAME>";

function need(action: string, resource = table, partition = "USER#"): RecordedNeed {
  return { caller: "made-up", action, resource, context: { "dynamodb:LeadingKeys": [partition] } };
}

const settings = { TABLE_NAME: "Table", PIN_QUEUE_URL: "Pins" };
const base = { isAllBut: false, conditions: [] };
const condition = { operator: "ForAllValues:StringEquals", key: "dynamodb:LeadingKeys", values: ["KEYS"] };
const role: FunctionRights = {
  caller: "made-up",
  settings,
  given: [
    { ...base, actions: ["dynamodb:GetItem", "dynamodb:PutItem"], resources: ["Table"] },
    { ...base, actions: ["dynamodb:Query"], resources: ["Table/index/by-mark", "Table/index/by-state"] },
    { ...base, actions: ["dynamodb:Query"], resources: ["Table"], conditions: [condition] },
    { ...base, actions: ["logs:PutLogEvents", "sqs:ReceiveMessage", "dynamodb:GetRecords"], resources: ["any"] },
    { ...base, actions: ["sns:Publish"], resources: ["arn:aws:sns:*:*:*"], isAllBut: true },
  ],
};
const everything = [
  need("dynamodb:GetItem"),
  need("dynamodb:PutItem"),
  need("dynamodb:Query", `${table}/index/by-mark`),
  need("dynamodb:Query", `${table}/index/by-state`),
  need("dynamodb:Query", table, "KEYS"),
  need("sns:Publish", "a phone number"),
];

test("a role that gives what is needed and no more is right; what Lambda itself uses is not asked for", () => {
  expect(compareRights([role], everything)).toEqual({ missing: [], unused: [] });
});

describe("a call that the role does not allow is reported:", () => {
  test.each([
    ["another action", need("dynamodb:DeleteItem"), "dynamodb:DeleteItem on Table"],
    ["another index", need("dynamodb:Query", `${table}/index/by-month`), "dynamodb:Query on Table/index/by-month"],
    ["a partition that a condition keeps out", need("dynamodb:Query"), "dynamodb:Query on Table"],
    ["another queue", need("sqs:SendMessage", "<PIN_QUEUE_URL>"), "sqs:SendMessage on Pins"],
    ["what no setting names", need("dynamodb:GetItem", "other"), "dynamodb:GetItem on other"],
    ["what a right leaves out", need("sns:Publish", "arn:aws:sns:a:b:c"), "sns:Publish on arn:aws:sns:a:b:c"],
  ])("%s", (_, made, what) => {
    const { missing } = compareRights([role], [...everything, made]);
    expect(missing).toEqual([`made-up calls ${what}, which its role does not allow`]);
  });
});

test("a call into a partition that a condition guards is reported, by whatever right it is made", () => {
  const guard = { operator: "ForAllValues:StringNotLike", key: "dynamodb:LeadingKeys", values: ["LOGIN#*", "KEYS"] };
  const isNamed = { operator: "Null", key: "dynamodb:LeadingKeys", values: ["false"] };
  const guarded = { ...base, actions: ["dynamodb:PutItem"], resources: ["Table"], conditions: [guard, isNamed] };
  const made = ["USER#", "LOGIN#", "KEYS", "KEYSTONE"].map((partition) => need("dynamodb:PutItem", table, partition));
  const { missing } = compareRights([{ ...role, given: [guarded] }], made);
  expect(missing).toEqual(["made-up calls dynamodb:PutItem on Table, which its role does not allow"]);
  const allowed = compareRights(
    [{ ...role, given: [guarded] }],
    [made[0], made[3]].flatMap((each) => each ?? []),
  );
  expect(allowed.missing).toEqual([]);
  const nowhere = { ...need("dynamodb:PutItem"), context: {} };
  expect(compareRights([{ ...role, given: [guarded] }], [nowhere]).missing).toHaveLength(1);
});

test("a call of a function that the stack does not have is reported", () => {
  const { missing } = compareRights([role], [...everything, { ...need("dynamodb:GetItem", "t"), caller: "stranger" }]);
  expect(missing).toEqual(["stranger calls dynamodb:GetItem on t, which its role does not allow"]);
});

describe("a right that no call needs is reported:", () => {
  test.each([
    ["an action", 1, "dynamodb:PutItem on Table"],
    ["an index", 3, "dynamodb:Query on Table/index/by-state"],
    ["a right with a condition", 4, "dynamodb:Query on Table where dynamodb:LeadingKeys is KEYS"],
    ["a right for all but some", 5, "sns:Publish on all but arn:aws:sns:*:*:*"],
  ])("%s", (_, left, what) => {
    const { unused } = compareRights([role], everything.toSpliced(left, 1));
    expect(unused).toEqual([`made-up may ${what}, which no test ever needs`]);
  });

  test("a right for all partitions, where all calls keep within those of a narrower one", () => {
    const wide = { ...role, given: [...role.given, { ...base, actions: ["dynamodb:Query"], resources: ["Table"] }] };
    expect(compareRights([wide], everything).unused).toEqual([
      "made-up may dynamodb:Query on Table, which no test ever needs",
    ]);
  });
});

describe("what a call needs:", () => {
  test("a transaction the rights of its members, a batch of messages that to send one", () => {
    const Key = { pk: { S: "USER#1" }, sk: { S: "USER" } };
    const members = [
      { Put: { TableName: "t", Item: Key } },
      { ConditionCheck: { TableName: "t", Key } },
      { Update: { TableName: "t", Key } },
      { Delete: { TableName: "t", Key } },
    ];
    const transaction = {
      service: "DynamoDB",
      command: "TransactWriteItemsCommand",
      input: { TransactItems: members },
    };
    const batch = { service: "SQS", command: "SendMessageBatchCommand", input: { QueueUrl: "q" } };
    const actions = [transaction, batch].flatMap(neededRights).map(({ action }) => action);
    expect(actions).toEqual([
      ...["PutItem", "ConditionCheckItem", "UpdateItem", "DeleteItem"].map((each) => `dynamodb:${each}`),
      "sqs:SendMessage",
    ]);
  });

  test("a service that nobody described is a mistake, not a call without needs", () => {
    expect(() => neededRights({ service: "S3", command: "GetObjectCommand", input: {} })).toThrow("S3");
  });
});

test("the roles of the template are read to the last: what none allows is missing in each", () => {
  const roles = readRights(stack);
  expect(roles.map(({ caller }) => caller).toSorted()).toEqual([...stack.functions().keys()].toSorted());
  const made = roles.map(({ caller }) => ({ ...need("dynamodb:DeleteTable"), caller }));
  expect(compareRights(roles, made).missing).toHaveLength(roles.length);
  expect(compareRights(roles, []).unused).toContainEqual(
    expect.stringMatching(/^get-profile may dynamodb:GetItem on /),
  );
});
