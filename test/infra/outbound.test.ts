import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { findStage, stageNames } from "../../infra/stages/stages.ts";
import { synthesizeStage, writeStubBundles } from "../support/service/synthesize-stages.ts";
import { readStack, type Statement, stackOf } from "./stack.ts";

type Stack = Pick<ReturnType<typeof stackOf>, "all" | "functions" | "rights" | "rightsOf" | "template">;

const everyStage = [...stageNames, "full"];
const isPut = (action: string) => /^(\*|events:(\*|Put\*|PutEvents))$/.test(action);
const mayPut = ({ Action = [], NotAction }: Statement) => NotAction !== undefined || [Action].flat().some(isPut);

function busesOf({ all }: Stack) {
  const buses = all("AWS::Events::EventBus");
  const [outbound, ...others] = buses.filter(({ id }) => id.startsWith("OutboundBus"));
  expect(others).toEqual([]);
  return { outbound, inbound: buses.find(({ id }) => id.startsWith("IntakeBus")) };
}

describe.each(everyStage)("D42: in %s", (name) => {
  const stack = stackOf(name);

  test("one function of all roles may put events, on the outbound bus alone", () => {
    const { outbound } = busesOf(stack);
    const sender = stack.functions().get("send-events")?.properties.Role["Fn::GetAtt"][0];
    const putting = [...stack.rights()].flatMap(([role, statements]) =>
      statements.filter(mayPut).map(({ Action, Resource }) => ({ role, Action, Resource })),
    );
    const Resource = { "Fn::GetAtt": [outbound?.id, "Arn"] };
    expect(putting).toEqual([{ role: sender, Action: "events:PutEvents", Resource }]);
  });

  test("the bus denies putting to everybody but the role of that function, and allows nobody anything", () => {
    const { outbound } = busesOf(stack);
    const [policy, ...others] = stack.all("AWS::Events::EventBusPolicy");
    expect(others).toEqual([]);
    expect(policy?.properties.EventBusName).toEqual({ Ref: outbound?.id });
    expect(policy?.properties.Statement).toEqual({
      Sid: "OnlyTheSender",
      Effect: "Deny",
      Principal: "*",
      Action: "events:PutEvents",
      Resource: { "Fn::GetAtt": [outbound?.id, "Arn"] },
      Condition: { ArnNotEquals: { "aws:PrincipalArn": stack.functions().get("send-events")?.properties.Role } },
    });
  });

  test("no rule leads from a bus to the outbound one, and the inbound one has none but its own", () => {
    const { outbound, inbound } = busesOf(stack);
    const rules = stack.all("AWS::Events::Rule").filter(({ id }) => !id.startsWith("Webhooks"));
    expect(outbound?.properties.Name).toBe(`workforce-${name}-outbound`);
    expect(JSON.stringify(rules)).not.toContain(outbound?.id);
    expect(rules.map(({ properties }) => properties.EventBusName)).toEqual([{ Ref: inbound?.id }]);
  });

  test("the queue of events takes messages of one function, and the role on call sends none again", () => {
    const sending = [...stack.rights()].filter(([, statements]) =>
      statements.some(
        ({ Action = [], Resource }) =>
          [Action].flat().includes("sqs:SendMessage") && /EventsQueue/.test(JSON.stringify(Resource)),
      ),
    );
    expect(sending.map(([role]) => role)).toEqual([stack.functions().get("notify")?.properties.Role["Fn::GetAtt"][0]]);
  });
});

test("D42: a stage with outboundEvents off has nothing that sends events, and costs nothing for it", () => {
  const directory = mkdtempSync(join(tmpdir(), "workforce-quiet-"));
  const bundles = join(directory, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  const stage = { ...findStage("dev"), outboundEvents: "off" } as const;
  const service = { operations: [], functions };
  const made = synthesizeStage({ stage, bundles, outdir: join(directory, "out"), service });
  rmSync(directory, { recursive: true });
  const quiet = readStack(made.template);
  expect(quiet.all("AWS::Events::EventBus").map(({ id }) => id)).toEqual([expect.stringMatching(/^IntakeBus/)]);
  expect(JSON.stringify(made.template)).not.toMatch(/EventsQueue|events-late|events-dead|OutboundBus|send-events/);
  expect(quiet.functions().has("send-events")).toBe(false);
  const { Variables } = quiet.functions().get("notify")?.properties.Environment ?? {};
  expect(Variables).not.toHaveProperty("EVENT_QUEUE_URL");
  expect(quiet.all("AWS::CloudWatch::Alarm").length).toBeGreaterThan(10);
});
