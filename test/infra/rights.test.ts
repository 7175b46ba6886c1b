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

test("a function uses the table by the actions its row names, and the public keys where it verifies tokens", () => {
  const given = new Map(tableActions());
  for (const [name, { table = [], indexes = [], verifiesTokens }] of Object.entries(functions)) {
    const queries = indexes.length > 0 || verifiesTokens ? ["Query"] : [];
    const wanted = new Set([...table, ...queries].map((action) => `dynamodb:${action}`));
    expect(given.get(name) ?? new Set(), name).toEqual(wanted);
  }
});

test("no role carries a ready-made policy but Lambda's own for writing log lines", () => {
  for (const { id, properties } of stack.all("AWS::IAM::Role")) {
    const policies = (properties.ManagedPolicyArns ?? []).map((arn: unknown) => JSON.stringify(arn));
    for (const policy of policies)
      expect(policy, id).toContain(":iam::aws:policy/service-role/AWSLambdaBasicExecutionRole");
    expect(properties.Policies, id).toBeUndefined();
  }
});

function allowed(): { policy: string; statement: Statement }[] {
  return stack.all("AWS::IAM::Policy").flatMap(({ id, properties }) => {
    const statements: Statement[] = properties.PolicyDocument.Statement;
    return statements.filter(({ Effect }) => Effect === "Allow").map((statement) => ({ policy: id, statement }));
  });
}

/** Each function with rights on the table, and its actions. */
function tableActions(): [string, Set<string>][] {
  const policyOf = new Map(
    stack.all("AWS::IAM::Policy").map(({ properties }) => [properties.Roles[0].Ref, properties]),
  );
  return [...stack.functions()].map(([name, { properties }]) => {
    const policy = policyOf.get(properties.Role["Fn::GetAtt"][0]);
    const statements: Statement[] = policy?.PolicyDocument.Statement ?? [];
    const actions = statements.flatMap(({ Action = [] }) => Action).filter((action) => action.startsWith("dynamodb:"));
    return [name, new Set(actions)];
  });
}
