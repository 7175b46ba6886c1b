import { expect, test } from "vitest";
import { useStack } from "./stack.ts";

const stack = await useStack();
const rotate = () => stack.functions().get("rotate-signing-key");

test("D6: a deploy calls rotate-signing-key, waits for its answer, and fails when it fails", () => {
  const [trigger, ...others] = stack.all("Custom::Trigger");
  expect(others).toEqual([]);
  expect(trigger?.properties.InvocationType).toBe("RequestResponse");
  const version = stack.all("AWS::Lambda::Version").find(({ id }) => id === trigger?.properties.HandlerArn.Ref);
  expect(version?.properties.FunctionName.Ref).toBe(rotate()?.id);
});

test("D6: the call comes when the table, the secret, the function and its rights are there", () => {
  const [trigger] = stack.all("Custom::Trigger");
  const role = rotate()?.properties.Role["Fn::GetAtt"][0];
  const secrets = stack.all("AWS::SecretsManager::Secret").filter(({ id }) => id.startsWith("SigningKeys"));
  const needed = [...stack.all("AWS::DynamoDB::GlobalTable"), ...secrets].map(({ id }) => id);
  expect(secrets).toHaveLength(1);
  expect(trigger?.dependsOn).toEqual(expect.arrayContaining([...needed, role, rotate()?.id]));
});

test("D6: a schedule calls rotate-signing-key every day, tries again what fails, and starts after the first key", () => {
  const daily = stack.all("AWS::Scheduler::Schedule").filter(({ properties }) => {
    return properties.Target.Arn["Fn::GetAtt"][0] === rotate()?.id;
  });
  const firstKeys = stack.all("Custom::Trigger").map(({ id }) => id);
  expect(daily).toHaveLength(1);
  for (const { properties, dependsOn } of daily) {
    expect(properties.ScheduleExpression).toMatch(/^cron\(\d+ \d+ \* \* \? \*\)$/);
    expect(properties.ScheduleExpressionTimezone).toBe("Etc/UTC");
    expect(properties.State).toBe("ENABLED");
    expect(properties.Target.RetryPolicy.MaximumRetryAttempts).toBeGreaterThan(0);
    expect(dependsOn).toEqual(expect.arrayContaining(firstKeys));
  }
  const configs = stack.all("AWS::Lambda::EventInvokeConfig");
  const retries = configs.find(({ properties }) => properties.FunctionName.Ref === rotate()?.id);
  expect(retries?.properties.MaximumRetryAttempts).toBeGreaterThan(0);
});
