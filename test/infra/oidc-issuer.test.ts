import { expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { fullStage } from "../support/service/owned-stage.ts";
import { stackOf, useStack } from "./stack.ts";

const { functions: ownFunctions } = await useStack();
test("D4: the functions that verify tokens, and no others, know the stage's OIDC issuer", () => {
  const knowing = [...stackOf("full").functions()].flatMap(([name, { properties }]) => {
    const { OIDC_ISSUER } = properties.Environment.Variables;
    if (OIDC_ISSUER !== undefined) expect(JSON.parse(OIDC_ISSUER)).toEqual(fullStage.oidcIssuer);
    return OIDC_ISSUER === undefined ? [] : [name];
  });
  const verifying = Object.entries(functions).flatMap(([name, { verifiesTokens }]) => (verifiesTokens ? [name] : []));
  expect(knowing.toSorted()).toEqual(verifying.toSorted());
});

test("D4: without one, no function knows any", () => {
  for (const [name, { properties }] of ownFunctions()) {
    expect(properties.Environment.Variables, name).not.toHaveProperty("OIDC_ISSUER");
  }
});
