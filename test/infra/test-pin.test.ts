import { expect, test } from "vitest";
import { generateSecret } from "../../infra/local/aws/generate-secret.ts";
import { namesOf } from "../../infra/stages/names.ts";
import { stageNames } from "../../infra/stages/stages.ts";
import { fullStage } from "../support/service/owned-stage.ts";
import { stackOf } from "./stack.ts";

const stack = stackOf("full");
const secret = stack.all("AWS::SecretsManager::Secret").find(({ id }) => id.startsWith("TestPin"));

test("D9: the pin of test logins is made in AWS, of twelve digits, and goes with the setting although the stage keeps its data", () => {
  expect(secret?.properties.Name).toBe(namesOf("full").testPinSecret);
  // CloudFormation makes another pin whenever one of these changes.
  const generation = {
    ExcludeLowercase: true,
    ExcludePunctuation: true,
    ExcludeUppercase: true,
    GenerateStringKey: "pin",
    PasswordLength: 12,
    SecretStringTemplate: "{}",
  };
  expect(secret?.properties.GenerateSecretString).toEqual(generation);
  expect(generateSecret(generation)).toMatch(/^\{"pin":"\d{12}"\}$/);
  expect([secret?.deletionPolicy, secret?.updateReplacePolicy]).toEqual(["Delete", "Delete"]);
});

test("D9: the one function that stores pins may read it, and nothing else of it; no template has the pin", () => {
  const readers = [...stack.functions()].filter(([name, { properties }]) => {
    const statements = stack.rightsOf(name).filter((each) => JSON.stringify(each).includes(`"${secret?.id}"`));
    expect(properties.Environment.Variables.TEST_PIN_SECRET_ARN !== undefined, name).toBe(statements.length > 0);
    for (const { Action } of statements) expect(Action).toBe("secretsmanager:GetSecretValue");
    return statements.length > 0;
  });
  expect(readers.map(([name]) => name)).toEqual(["deliver-pin"]);
  expect(secret?.properties.SecretString).toBeUndefined();
});

test("D9: the logins and the end are given to that function alone", () => {
  const given = [...stack.functions()].filter(([, { properties }]) => properties.Environment.Variables.TEST_LOGINS);
  expect(given.map(([name]) => name)).toEqual(["deliver-pin"]);
  expect(JSON.parse(given[0]?.[1].properties.Environment.Variables.TEST_LOGINS)).toEqual(fullStage.testLogins);
});

test.each(stageNames)("D9: %s has no test logins as shipped: neither a secret, nor a right, nor a login", (name) => {
  const shipped = stackOf(name);
  expect(shipped.all("AWS::SecretsManager::Secret").map(({ id }) => id)).not.toContainEqual(
    expect.stringMatching(/^TestPin/),
  );
  const { TEST_LOGINS, TEST_PIN_SECRET_ARN } =
    shipped.functions().get("deliver-pin")?.properties.Environment.Variables ?? {};
  expect([TEST_LOGINS, TEST_PIN_SECRET_ARN]).toEqual([undefined, undefined]);
});
