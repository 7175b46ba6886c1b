import { expect, test } from "vitest";
import { policyCharactersOf } from "./policy-size.ts";

test("a role has the characters of its own policies and of those beside it, references as long as ARNs", () => {
  const PolicyDocument = { Resource: [{ "Fn::Join": ["/", [{ "Fn::GetAtt": ["Table", "Arn"] }, "index"]] }] };
  const role = { Type: "AWS::IAM::Role", Properties: { Policies: [{ PolicyDocument }] } };
  const policy = { Type: "AWS::IAM::Policy", Properties: { PolicyDocument, Roles: [{ Ref: "Two" }] } };
  const sizes = policyCharactersOf({ Resources: { One: role, Two: role, Policy: policy } });
  const length = `{"Resource":["/index"]}`.length + 130;
  expect([...sizes]).toEqual([
    ["One", length],
    ["Two", 2 * length],
  ]);
  const unknown = { Policies: [{ PolicyDocument: { "Fn::Sub": "x" } }] };
  expect(() => policyCharactersOf({ Resources: { One: { ...role, Properties: unknown } } })).toThrow("Fn::Sub");
});
