import { expect, test } from "vitest";
import { functions } from "../../infra/functions.ts";
import { findStage } from "../../infra/stages.ts";
import { stackOf, useStack } from "./stack.ts";

const { functions: ownFunctions } = useStack();
const outsideIssuer = {
  issuer: "https://id.example",
  audience: "workforce",
  jwksUrl: "https://id.example/jwks",
  claims: { user: "sub", role: "role", company: "company" },
};

test("D4: the functions that verify tokens, and no others, are told of the stage's outside issuer", () => {
  const stage = { ...findStage("dev"), outsideIssuer };
  const told = [...stackOf(stage).functions()].flatMap(([name, { properties }]) => {
    const { OUTSIDE_ISSUER } = properties.Environment.Variables;
    if (OUTSIDE_ISSUER !== undefined) expect(JSON.parse(OUTSIDE_ISSUER)).toEqual(outsideIssuer);
    return OUTSIDE_ISSUER === undefined ? [] : [name];
  });
  const verifying = Object.entries(functions).flatMap(([name, { verifiesTokens }]) => (verifiesTokens ? [name] : []));
  expect(told.toSorted()).toEqual(verifying.toSorted());
}, 60_000);

test("D4: without one, no function is told of any", () => {
  for (const [name, { properties }] of ownFunctions()) {
    expect(properties.Environment.Variables, name).not.toHaveProperty("OUTSIDE_ISSUER");
  }
});
