import { expect, test } from "vitest";
import { findStage } from "../../infra/stages.ts";
import { stackOf, useStack } from "./stack.ts";

const { template } = useStack();

interface Policy {
  readonly Type: string;
  readonly Properties: { readonly PolicyDocument: { readonly Statement: Statement[] } };
}

interface Statement {
  readonly Action: string | string[];
  readonly Resource?: unknown;
}

/** The rights on SNS in a template that are for resources by name. */
function pushRights(template: object): Statement[] {
  const { Resources } = template as { Resources: Record<string, Policy> };
  const policies = Object.values(Resources).filter(({ Type }) => Type === "AWS::IAM::Policy");
  return policies
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
    .filter(
      ({ Action, Resource }) => Resource !== undefined && [Action].flat().some((each) => each.startsWith("sns:")),
    );
}

test("D29: pushes go to the stage's own platform applications and the endpoints under them, and nowhere else", () => {
  const applications = Object.values(findStage("local").platformApplications ?? {});
  expect(applications).toHaveLength(3);
  expect(pushRights(template)).toEqual([
    { Effect: "Allow", Action: "sns:CreatePlatformEndpoint", Resource: applications },
    {
      Effect: "Allow",
      Action: ["sns:SetEndpointAttributes", "sns:DeleteEndpoint", "sns:Publish"],
      Resource: applications.map((arn) => `${arn.replace(":app/", ":endpoint/")}/*`),
    },
  ]);
});

test("D29: where the stage names no platform application, nothing may be pushed at all", () => {
  const dev = findStage("dev");
  expect(dev.platformApplications).toBeUndefined();
  expect(pushRights(stackOf(dev).template)).toEqual([]);
}, 60_000);
