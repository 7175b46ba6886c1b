import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { functions } from "../../infra/functions.ts";
import { findStage } from "../../infra/stages.ts";
import { WorkforceStack } from "../../infra/workforce-stack.ts";
import { useStack } from "./stack.ts";

const { bundles, functions: ownFunctions } = useStack();
const outsideIssuer = {
  issuer: "https://id.example",
  audience: "workforce",
  jwksUrl: "https://id.example/jwks",
  claims: { user: "sub", role: "role", company: "company" },
};

test("D4: the functions that verify tokens, and no others, are told of the stage's outside issuer", () => {
  const stage = { ...findStage("dev"), outsideIssuer };
  const app = new App({ analyticsReporting: false });
  const template = Template.fromStack(new WorkforceStack(app, { stage, bundles }));
  const told = Object.values(template.findResources("AWS::Lambda::Function")).flatMap(({ Properties }) => {
    const { OPERATION, OUTSIDE_ISSUER } = Properties.Environment?.Variables ?? {};
    if (OUTSIDE_ISSUER !== undefined) expect(JSON.parse(OUTSIDE_ISSUER)).toEqual(outsideIssuer);
    return OUTSIDE_ISSUER === undefined ? [] : [OPERATION];
  });
  const verifying = Object.entries(functions).flatMap(([name, { verifiesTokens }]) => (verifiesTokens ? [name] : []));
  expect(told.toSorted()).toEqual(verifying.toSorted());
});

test("D4: without one, no function is told of any", () => {
  for (const [name, { properties }] of ownFunctions()) {
    expect(properties.Environment.Variables, name).not.toHaveProperty("OUTSIDE_ISSUER");
  }
});
