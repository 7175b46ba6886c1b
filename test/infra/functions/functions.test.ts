import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleFile } from "../../../infra/functions/bundle-places.ts";
import type { FunctionRow } from "../../../infra/functions/function-row.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { pageFunction } from "../../../infra/functions/worker-rows.ts";
import { namesOf, tokenAudience } from "../../../infra/stages/names.ts";
import { queueNames, queueSetting } from "../../../shared/run/settings.ts";
import { builtBundles } from "../../support/service/made-stack.ts";
import { stackOf, useStack } from "../stack.ts";
import { fullStage } from "../stages/owned-stage.ts";

const stack = await useStack();
const bundles = await builtBundles();

test("every row of infra/functions/functions.ts is a function that knows its operation, and there is no other", () => {
  const names = Object.keys(functions);
  expect([...stack.functions().keys()].sort()).toEqual(names.sort());
  const others = stack.all("AWS::Lambda::Function").filter(({ properties }) => !properties.Environment);
  expect(others.map(({ id }) => id)).toEqual([expect.stringMatching(/^AWSCDKTriggerCustomResourceProvider/)]);
  expect(stack.all("AWS::Lambda::Function")).toHaveLength(names.length + others.length);
});

test("D4, D46: the functions that verify tokens, what refuses unknown routes, and no others, know the stage's OIDC issuer, if it has one; those that sign know its own name, too", () => {
  for (const [name, { properties }] of stackOf("full").functions()) {
    const { OIDC_ISSUER = "null", TOKEN_ISSUER, TOKEN_AUDIENCE } = properties.Environment.Variables;
    const { verifiesTokens, signsTokens }: FunctionRow = functions[name as FunctionName];
    const knows = verifiesTokens || name === "refuse-unrouted";
    expect(JSON.parse(OIDC_ISSUER), name).toEqual(knows ? fullStage.oidcIssuer : null);
    const ofTokens =
      verifiesTokens || signsTokens ? [namesOf("full").tokenIssuer, tokenAudience] : [undefined, undefined];
    expect([TOKEN_ISSUER, TOKEN_AUDIENCE], name).toEqual(ofTokens);
  }
  for (const [name, { properties }] of stack.functions())
    expect(properties.Environment.Variables, name).not.toHaveProperty("OIDC_ISSUER");
});

test("every function is given only settings that shared/run/settings.ts reads, and never a secret's value", () => {
  const source = readFileSync(join(import.meta.dirname, "../../../shared/run/settings.ts"), "utf8");
  const reads = /(?:required|oneOf|wholeNumber)\("([A-Z_]+)"|process\.env\.([A-Z_]+)/g;
  const named = [...source.matchAll(reads)].map(([, name, optional]) => name ?? optional);
  const known = new Set([...named, ...queueNames.map(queueSetting)]);
  for (const [name, { properties }] of stack.functions()) {
    const variables = Object.entries(properties.Environment.Variables);
    expect(variables.map(([variable]) => variable).filter((variable) => !known.has(variable))).toEqual([]);
    for (const [variable, value] of variables) {
      const isSecret = /SECRET|PASSWORD|TOKEN_VALUE|PRIVATE|_KEY/.test(variable) && !variable.endsWith("_ARN");
      expect(isSecret, `${name} ${variable}`).toBe(false);
      expect(JSON.stringify(value), `${name} ${variable}`).not.toContain("{{resolve:");
    }
  }
});

test("every bundle is at most 305 KB, 310 KB where totals of all companies are asked for, 320 KB where a password is compared by its user, 385 KB where a phone number is read, and 1.8 MB with the documentation page inside", () => {
  const sizes = Object.entries(functions).map(([name, { settings = [], sendsTo = [] }]) => {
    const kilobytes = Math.ceil(statSync(bundleFile(bundles, name)).size / 1000);
    // The numbering plans and what reads them weigh some 60 KB (D7).
    const readsPhones = settings.includes("defaultCountry") || name === "notify-password-changed";
    // Scalar weighs 1.68 MB, compressed and in base64: the page's function has nothing else to load.
    if (name === pageFunction) return { name, kilobytes, limit: 1_800 };
    // Argon2id weighs 29 KB.
    if (name === "create-api-key") return { name, kilobytes, limit: 320 };
    // The client of SQS weighs 32 KB.
    if (sendsTo.includes("totals")) return { name, kilobytes, limit: 310 };
    return { name, kilobytes, limit: readsPhones ? 385 : 305 };
  });
  expect(sizes.filter(({ kilobytes, limit }) => kilobytes > limit)).toEqual([]);
});
