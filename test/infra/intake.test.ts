import { expect, test } from "vitest";
import { findStage } from "../../infra/stages/stages.ts";
import { useStack } from "./stack.ts";

const stack = await useStack();
const arnOf = (id: string | undefined) => ({ "Fn::GetAtt": [id, "Arn"] });
const queue = (prefix: string) => stack.all("AWS::SQS::Queue").find(({ id }) => id.startsWith(prefix));
const [rule, ...otherRules] = stack.all("AWS::Events::Rule").filter(({ id }) => !id.startsWith("Webhooks"));

test("the stage has one bus for what comes in, named after it, and every event of it goes into the intake's queue", () => {
  const [bus, ...others] = stack.all("AWS::Events::EventBus").filter(({ id }) => !id.startsWith("OutboundBus"));
  expect(others).toEqual([]);
  expect(bus?.properties.Name).toBe("workforce-local");
  expect(otherRules).toEqual([]);
  expect(rule?.properties).toMatchObject({
    EventBusName: { Ref: bus?.id },
    EventPattern: { source: [{ prefix: "" }] },
    State: "ENABLED",
    Targets: [{ Arn: arnOf(queue("IntakeQueue")?.id) }],
  });
  expect(rule?.properties.Targets).toHaveLength(1);
});

test("an event that cannot be delivered is kept", () => {
  const undelivered = queue("IntakeBusUndelivered");
  expect(undelivered).toBeDefined();
  expect(rule?.properties.Targets[0].DeadLetterConfig).toEqual({ Arn: arnOf(undelivered?.id) });
});

test("nobody but that rule may put messages into the two queues from outside the service", () => {
  const fed = ["IntakeQueue", "IntakeBusUndelivered"].map((prefix) => queue(prefix)?.id);
  for (const { id, properties } of stack.all("AWS::SQS::QueuePolicy")) {
    if (id.startsWith("Webhooks")) continue;
    const allowing = properties.PolicyDocument.Statement.filter((each: { Effect: string }) => each.Effect === "Allow");
    expect(allowing, id).toHaveLength(fed.includes(properties.Queues[0].Ref) ? 1 : 0);
    for (const statement of allowing) {
      expect(statement.Principal, id).toEqual({ Service: "events.amazonaws.com" });
      expect(statement.Condition, id).toEqual({ ArnEquals: { "aws:SourceArn": arnOf(rule?.id) } });
    }
  }
});

test("the intake's worker, and no other, consumes the queue of the bus", () => {
  const workers = stack.all("AWS::Lambda::EventSourceMapping").filter(({ properties }) => {
    return properties.EventSourceArn["Fn::GetAtt"][0] === queue("IntakeQueue")?.id;
  });
  expect(workers.map(({ properties }) => properties.FunctionName.Ref)).toEqual([stack.functions().get("intake")?.id]);
});

test("D20: mark-overdue is called every day just after midnight where the business is, and again when it fails", () => {
  const id = stack.functions().get("mark-overdue")?.id;
  const [daily, ...others] = stack.all("AWS::Scheduler::Schedule").filter(({ properties }) => {
    return properties.Target.Arn["Fn::GetAtt"][0] === id;
  });
  expect(others).toEqual([]);
  expect(daily?.properties).toMatchObject({
    ScheduleExpression: "cron(5 0 * * ? *)",
    ScheduleExpressionTimezone: findStage("local").businessTimeZone,
    State: "ENABLED",
  });
  const retries = stack
    .all("AWS::Lambda::EventInvokeConfig")
    .find(({ properties }) => properties.FunctionName.Ref === id);
  expect(daily?.properties.Target.RetryPolicy.MaximumRetryAttempts).toBeGreaterThan(0);
  expect(retries?.properties.MaximumRetryAttempts).toBeGreaterThan(0);
});
