import { expect, test } from "vitest";
import { functions } from "../../infra/functions.ts";
import { useStack } from "./stack.ts";

const stack = useStack();

interface Statement {
  readonly Effect: string;
  readonly Action?: string | string[];
  readonly NotAction?: unknown;
  readonly Resource?: unknown;
  readonly NotResource?: unknown;
}

/** A phone number has no ARN to name: the right to send it an SMS is that to publish to anything but topics and endpoints. */
const withoutResource = ["sns:Publish"];

test("no right is for every action, or for every action of a service", () => {
  for (const { policy, statement } of allowed()) {
    expect(statement.NotAction, policy).toBeUndefined();
    expect(
      [statement.Action].flat().filter((action) => action?.includes("*")),
      policy,
    ).toEqual([]);
  }
});

test("no right is for every resource; SMS alone are for all phone numbers", () => {
  for (const { policy, statement } of allowed()) {
    expect([statement.Resource].flat(), policy).not.toContain("*");
    if (statement.Resource === undefined) expect([statement.Action].flat(), policy).toEqual(withoutResource);
  }
});

test("a function uses the table by the actions its row names, the public keys where it verifies tokens, and the stream", () => {
  const given = new Map(actionsOf("dynamodb:"));
  for (const [name, { table = [], indexes = [], readsStream, ...row }] of Object.entries(functions)) {
    const queries = indexes.length > 0 || row.verifiesTokens || row.readsPublicKeys ? ["Query"] : [];
    const streamed = readsStream ? ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"] : [];
    const wanted = new Set([...table, ...queries, ...streamed].map((action) => `dynamodb:${action}`));
    expect(given.get(name) ?? new Set(), name).toEqual(wanted);
  }
});

test("D6: the private keys are read by the functions that sign and replaced by the one that rotates, and by no other", () => {
  const [signingSecret] = stack.all("AWS::SecretsManager::Secret").filter(({ id }) => id.startsWith("SigningKeys"));
  const touching = [...stack.functions().keys()].flatMap((name) => {
    const actions = statementsOf(name)
      .filter(({ Resource }) => [Resource].flat().some((each) => refOf(each) === signingSecret?.id))
      .flatMap(({ Action = [] }) => Action);
    return actions.length > 0 ? [[name, actions.toSorted()] as const] : [];
  });
  const read = "secretsmanager:GetSecretValue";
  const wanted = Object.entries(functions).flatMap(([name, row]): [string, string[]][] => {
    if (row.rotatesSigningKeys) return [[name, [read, "secretsmanager:PutSecretValue"]]];
    return row.signsTokens ? [[name, [read]]] : [];
  });
  expect(Object.fromEntries(touching)).toEqual(Object.fromEntries(wanted));
});

test("the key for HMACs is read by the functions whose rows say so, and by no other", () => {
  const [hmacSecret] = stack.all("AWS::SecretsManager::Secret").filter(({ id }) => id.startsWith("HmacKey"));
  const reading = [...stack.functions().keys()].filter((name) =>
    statementsOf(name).some(({ Resource }) => [Resource].flat().some((each) => refOf(each) === hmacSecret?.id)),
  );
  const wanted = Object.entries(functions).flatMap(([name, { readsHmacKey }]) => (readsHmacKey ? [name] : []));
  expect(reading.toSorted()).toEqual(wanted.toSorted());
});

test("a function sends to the queues that its row names, and to no other", () => {
  for (const [name, row] of Object.entries(functions)) {
    const sent = statementsOf(name)
      .filter(({ Action }) => [Action].flat().includes("sqs:SendMessage"))
      .flatMap(({ Resource }) => [Resource].flat().map(attributeOf));
    const wanted = Object.entries(queueOfFlag).flatMap(([flag, queue]) => (Reflect.get(row, flag) ? [queue] : []));
    expect(sent.map((id) => id?.replace(/[0-9A-F]{8}$/, "")).toSorted(), name).toEqual(wanted.toSorted());
  }
});

test("e-mail and SMS are sent by the functions whose rows say so, and by those alone", () => {
  const holders = (prefix: string) => actionsOf(prefix).flatMap(([name, actions]) => (actions.size > 0 ? [name] : []));
  const rows = Object.entries(functions);
  const sending = rows.flatMap(([name, { sendsMessages }]) => (sendsMessages ? [name] : []));
  const pushing = rows.flatMap(([name, { pushesToDevices }]) => (pushesToDevices ? [name] : []));
  expect(holders("ses:").toSorted()).toEqual(sending.toSorted());
  expect(holders("sns:").toSorted()).toEqual([...sending, ...pushing].toSorted());
});

test("no role carries a ready-made policy but Lambda's own for writing log lines", () => {
  for (const { id, properties } of stack.all("AWS::IAM::Role")) {
    const policies = (properties.ManagedPolicyArns ?? []).map((arn: unknown) => JSON.stringify(arn));
    for (const policy of policies)
      expect(policy, id).toContain(":iam::aws:policy/service-role/AWSLambdaBasicExecutionRole");
  }
});

/** The queue that each of these flags of a row stands for, by its construct. */
const queueOfFlag = {
  queuesPins: "PinsQueue",
  queuesNotices: "NoticesQueue",
  queuesNotifications: "NotificationsQueue",
  queuesPushes: "PushesQueue",
  readsStream: "SetAsideQueue",
};

/** Every statement that allows something, in policies of their own and in those written into a role. */
function allowed(): { policy: string; statement: Statement }[] {
  const own = stack.all("AWS::IAM::Policy").map(({ id, properties }) => ({ id, document: properties.PolicyDocument }));
  const inline = stack.all("AWS::IAM::Role").flatMap(({ id, properties }) => {
    const policies: { PolicyDocument: { Statement: Statement[] } }[] = properties.Policies ?? [];
    return policies.map(({ PolicyDocument }) => ({ id, document: PolicyDocument }));
  });
  return [...own, ...inline].flatMap(({ id, document }) => {
    const statements: Statement[] = document.Statement;
    return statements.filter(({ Effect }) => Effect === "Allow").map((statement) => ({ policy: id, statement }));
  });
}

/** Each function, and the actions it may take of those that begin so. */
function actionsOf(prefix: string): [string, Set<string>][] {
  return [...stack.functions().keys()].map((name) => {
    const actions = statementsOf(name).flatMap(({ Action = [] }) => Action);
    return [name, new Set(actions.filter((action) => action.startsWith(prefix)))];
  });
}

/** What the policy of a function's role says. */
function statementsOf(name: string): Statement[] {
  const role = stack.functions().get(name)?.properties.Role["Fn::GetAtt"][0];
  const policies = stack.all("AWS::IAM::Policy").filter(({ properties }) => properties.Roles[0].Ref === role);
  return policies.flatMap(({ properties }) => properties.PolicyDocument.Statement as Statement[]);
}

function attributeOf(resource: unknown): string | undefined {
  return (resource as { "Fn::GetAtt"?: string[] } | undefined)?.["Fn::GetAtt"]?.[0];
}

function refOf(resource: unknown): string | undefined {
  return (resource as { Ref?: string } | undefined)?.Ref;
}
