import { expect, test } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import { findSynthesis, readStack, type Statement } from "../stack.ts";
import { everyStage } from "../synthesize-stages.ts";

/** CloudFormation's limit. */
const mostBytes = 1_000_000;
const mostPolicyCharacters = 10_000;
/** At least as long as a partition, a region and an account; and as the ARN of a function, a queue, a secret or an index. */
const longest = { pseudoParameter: 14, arn: 130 };

test.each(everyStage)("the template of $name is one that CloudFormation takes, and IAM every role's rights", ({
  name,
}) => {
  const { template } = findSynthesis(name);
  // As the CDK writes it.
  expect(Buffer.byteLength(JSON.stringify(template, null, 1))).toBeLessThan(mostBytes);
  for (const [role, statements] of readStack(template).rights())
    expect(charactersOf(statements), role).toBeLessThan(mostPolicyCharacters);
});

test("the longest stage has names for every function that Lambda takes", () => {
  for (const name of Object.keys(functions)) {
    expect(functionNameOf("x".repeat(20), name).length, name).toBeLessThanOrEqual(64);
  }
});

/** The most characters of a role's rights in ARNs and the like, where the template has references. */
function charactersOf(statements: readonly Statement[]): number {
  return JSON.stringify(statements, (_, value) => {
    const { Ref, "Fn::GetAtt": attribute, "Fn::Join": join } = value ?? {};
    if (Ref?.startsWith("AWS::")) return "x".repeat(longest.pseudoParameter);
    return Ref || attribute ? "x".repeat(longest.arn) : (join?.[1] ?? value);
  }).length;
}
