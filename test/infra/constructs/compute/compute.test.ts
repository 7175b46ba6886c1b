import { describe, expect, test } from "vitest";
import type { FunctionRow } from "../../../../infra/functions/function-row.ts";
import { functions } from "../../../../infra/functions/functions.ts";
import { namesOf } from "../../../../infra/stages/names.ts";
import { findStage, stageNames } from "../../../../infra/stages/stages.ts";
import type { QueueName } from "../../../../shared/run/settings.ts";
import {
  arnOf,
  type Resource,
  readStack,
  type Statement,
  type SynthesizedStack,
  stackOf,
  synthesizeAlone,
  useStack,
} from "../../stack.ts";
import { ownedStage } from "../../stages/owned-stage.ts";

const local = await useStack();
const isPut = (action: string) => /^(\*|events:(\*|Put\*|PutEvents))$/.test(action);
const mayPut = ({ Action = [], NotAction }: Statement) => NotAction !== undefined || [Action].flat().some(isPut);
const roleOf = ({ functions: all }: SynthesizedStack, name: string) => all().get(name)?.properties.Role;
const rulesOf = ({ all }: SynthesizedStack) => all("AWS::Events::Rule");

test("every worker of a queue or a stream names what failed of a batch, so that the rest is not done again", () => {
  for (const { id, properties } of local.all("AWS::Lambda::EventSourceMapping"))
    expect(properties.FunctionResponseTypes, id).toEqual(["ReportBatchItemFailures"]);
});

describe("a consumer of the table's stream", () => {
  const table = local.one("AWS::DynamoDB::GlobalTable");
  const stream = { "Fn::GetAtt": [table.id, "StreamArn"] };
  const ofStream = local
    .all("AWS::Lambda::EventSourceMapping")
    .filter(({ properties }) => JSON.stringify(properties.EventSourceArn) === JSON.stringify(stream));

  test("begins at the oldest change, names the items whose changes it is given, and reports what it fails on", () => {
    const quarantine = local.one("AWS::SQS::Queue", "StreamQuarantine");
    for (const { id, properties } of ofStream) {
      expect(properties.StartingPosition, id).toBe("TRIM_HORIZON");
      expect(properties.MaximumRetryAttempts, id).toBeUndefined();
      expect(properties.DestinationConfig.OnFailure.Destination, id).toEqual(arnOf(quarantine));
      const { Filters } = properties.FilterCriteria;
      // Lambda takes no more filters of a mapping.
      expect(Filters.length, id).toBeLessThanOrEqual(5);
      for (const { Pattern } of Filters) expect(JSON.parse(Pattern).dynamodb.Keys.sk.S.length, id).toBeGreaterThan(0);
    }
  });

  test("may read the stream of this table and no other", () => {
    const all = [...local.rights().values()].flat();
    const allowing = (action: string) => all.filter(({ Action }) => [Action].flat().includes(`dynamodb:${action}`));
    const reading = allowing("GetRecords").map(({ Resource }) => Resource);
    expect(reading).toEqual(ofStream.map(() => stream));
    const listing = { "Fn::Join": ["", [arnOf(table), "/stream/*"]] };
    expect(allowing("ListStreams").map(({ Resource }) => Resource)).toEqual(ofStream.map(() => listing));
  });
});

describe("the bus for what comes in", () => {
  const [rule, ...others] = rulesOf(local);
  const queue = local.one("AWS::SQS::Queue", "IntakeQueue");
  const undelivered = local.one("AWS::SQS::Queue", "IntakeBusUndelivered");

  test("bears the stage's name, and gives every event to the intake's queue, or keeps it", () => {
    const bus = local.one("AWS::Events::EventBus", "IntakeBus");
    expect(bus.properties.Name).toBe("workforce-local");
    expect(others).toEqual([]);
    expect(rule?.properties).toMatchObject({
      EventBusName: { Ref: bus.id },
      EventPattern: { source: [{ prefix: "" }] },
      State: "ENABLED",
      Targets: [{ Arn: arnOf(queue), DeadLetterConfig: { Arn: arnOf(undelivered) } }],
    });
    expect(rule?.properties.Targets).toHaveLength(1);
  });

  test("alone may put messages into its two queues from outside the service, and the intake consumes them alone", () => {
    const policies = local.all("AWS::SQS::QueuePolicy");
    const queuesOf = ({ properties }: Resource): string[] => properties.Queues.map(({ Ref }: { Ref: string }) => Ref);
    const all = local.all("AWS::SQS::Queue").map(({ id }) => id);
    expect(policies.flatMap(queuesOf).toSorted(), "a queue has one policy").toEqual(all.toSorted());
    for (const policy of policies) {
      const { id, properties } = policy;
      const { Statement: statements } = properties.PolicyDocument;
      const isFed = queuesOf(policy).some((each) => [queue.id, undelivered.id].includes(each));
      const Condition = { ArnEquals: { "aws:SourceArn": { "Fn::GetAtt": [rule?.id, "Arn"] } } };
      const allowing = statements.filter((each: Statement) => each.Effect === "Allow");
      const wanted = [{ Principal: { Service: "events.amazonaws.com" }, Condition }];
      expect(allowing, id).toMatchObject(isFed ? wanted : []);
    }
    const workers = local
      .all("AWS::Lambda::EventSourceMapping")
      .filter(({ properties }) => properties.EventSourceArn["Fn::GetAtt"][0] === queue.id);
    expect(workers.map(({ properties }) => properties.FunctionName.Ref)).toEqual([local.functions().get("intake")?.id]);
  });
});

describe.each([...stageNames, "full"])("D42: in %s", (name) => {
  const stack = stackOf(name);
  const outbound = stack.one("AWS::Events::EventBus", "OutboundBus");
  const sender = roleOf(stack, "send-events");

  test("one function of all roles may put events, on the outbound bus alone", () => {
    const putting = [...stack.rights()].flatMap(([role, statements]) =>
      statements.filter(mayPut).map(({ Action, Resource }) => ({ role, Action, Resource })),
    );
    expect(putting).toEqual([{ role: sender["Fn::GetAtt"][0], Action: "events:PutEvents", Resource: arnOf(outbound) }]);
  });

  test("the bus denies putting to everybody but the role of that function, and allows nobody anything", () => {
    const { EventBusName, Statement: denial } = stack.one("AWS::Events::EventBusPolicy").properties;
    expect(EventBusName).toEqual({ Ref: outbound.id });
    expect(denial).toEqual({
      Sid: "OnlyTheSender",
      Effect: "Deny",
      Principal: "*",
      Action: "events:PutEvents",
      Resource: arnOf(outbound),
      Condition: { ArnNotEquals: { "aws:PrincipalArn": sender } },
    });
  });

  test("the functions that make events, and no others, know their source; the outputs name the bus", () => {
    for (const [each, { sendsTo = [] }] of Object.entries<FunctionRow>(functions)) {
      const { EVENT_SOURCE } = stack.functions().get(each)?.properties.Environment.Variables ?? {};
      if (stack.functions().has(each))
        expect(EVENT_SOURCE, each).toBe(sendsTo.includes("events") ? namesOf(name).eventSource : undefined);
    }
    expect(stack.template.Outputs?.OutboundBusName?.Value).toEqual({ Ref: outbound.id });
  });

  test("no rule leads from a bus to the outbound one, and the inbound one has none but its own", () => {
    const inbound = stack.one("AWS::Events::EventBus", "IntakeBus");
    expect(outbound.properties.Name).toBe(`workforce-${name}-outbound`);
    expect(JSON.stringify(rulesOf(stack))).not.toContain(outbound.id);
    // The rule that counts who takes a role leads nowhere.
    const leading = rulesOf(stack).filter(({ properties }) => properties.Targets !== undefined);
    expect(leading.map(({ properties }) => properties.EventBusName)).toEqual([{ Ref: inbound.id }]);
  });
});

test("D42: a stage with outboundEvents off has nothing that sends events, and costs nothing for it", () => {
  const stage = { ...ownedStage("prod"), deployment: "at-once", outboundEvents: "off" } as const;
  const made = synthesizeAlone({ stage, service: { operations: [], functions } });
  const quiet = readStack(made);
  expect(quiet.all("AWS::Events::EventBus").map(({ id }) => id)).toEqual([expect.stringMatching(/^IntakeBus/)]);
  expect(JSON.stringify(made)).not.toMatch(/EventsQueue|events-late|events-dead|OutboundBus|send-events/);
  expect(quiet.functions().has("send-events")).toBe(false);
  const { Variables } = quiet.functions().get("notify")?.properties.Environment ?? {};
  for (const variable of ["EVENT_QUEUE_URL", "EVENT_SOURCE"]) expect(Variables).not.toHaveProperty(variable);
  expect(quiet.all("AWS::CloudWatch::Alarm").length).toBeGreaterThan(10);
});

test("a function that sends to a queue that no stage has is refused, as synth checks no types", () => {
  const notify = { ...functions.notify, sendsTo: ["no-such-queue" as QueueName] };
  const made = { operations: [], functions: { ...functions, notify } };
  expect(() => synthesizeAlone({ stage: findStage("dev"), service: made })).toThrow(
    "No queue has the name no-such-queue",
  );
});
