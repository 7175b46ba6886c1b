import { expect, test } from "vitest";
import { replacementSteps } from "../../../infra/constructs/stores/records-table.ts";
import { stages } from "../../../infra/stages/stages.ts";
import { addEmptiedStack, createApp } from "../../../infra/synthesize.ts";
import type { Template, TemplateResource } from "../../../infra/whole-template.ts";
import { findSynthesis } from "../stack.ts";

type Index = { readonly IndexName: string; readonly Projection: { readonly NonKeyAttributes?: readonly string[] } };

const steps = Array.from({ length: replacementSteps }, (_, at) => emptiedAt(at + 1).Resources);
const [whole] = Object.values(findSynthesis("dev").parts);
const today = whole?.Resources ?? {};
const isOfList = ({ Projection }: Index) => Projection.NonKeyAttributes !== undefined;

test("what is kept is as in the whole stack, and nothing else is there but what the queues need", () => {
  for (const step of steps) {
    expect(Object.keys(step).length).toBeGreaterThan(20);
    for (const [id, { Type, ...resource }] of Object.entries(step)) {
      // Without the function that alone may put events, nobody may.
      if (Type === "AWS::Events::EventBusPolicy")
        expect(resource.Properties?.Statement).not.toHaveProperty("Condition");
      else expect(withoutParts({ Type, ...resource }), id).toEqual(withoutParts(today[id]));
    }
    expect(typesOf(step).filter((type) => /Lambda|Route$|Integration|Alarm|Nested/.test(type))).toEqual([]);
  }
  const lost = Object.entries(today).filter(([id]) => !(id in (steps[0] ?? {})));
  expect(new Set(lost.map(([, { Type }]) => Type))).toEqual(
    new Set(["AWS::CloudFormation::Stack", "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"]),
  );
});

test("each step adds or removes one index and changes none, from those of release 0.1 to those of today", () => {
  const before = indexesOf(today).map((index) =>
    isOfList(index) ? { ...index, Projection: { ...index.Projection, NonKeyAttributes: ["record"] } } : index,
  );
  const all = [before, ...steps.map(indexesOf), indexesOf(today)];
  for (const [at, next] of all.entries()) {
    const last = all[at - 1];
    if (!last) continue;
    const names = new Set([...last, ...next].map(({ IndexName }) => IndexName));
    const changed = [...names].filter((name) => !sameIn(last, next, name));
    expect(changed, `step ${at}`).toHaveLength(1);
    expect([last, next].filter((each) => each.some(({ IndexName }) => IndexName === changed[0]))).toHaveLength(1);
  }
});

test.each([undefined, "0", "8", "1.5", "by-state"])("step %s is refused with what can be said", (step) => {
  expect(() => emptiedAt(step)).toThrow("Say which step: -c step=1 to -c step=7");
});

function emptiedAt(step: unknown): Template {
  const app = createApp({ context: { step } });
  const { stackName } = addEmptiedStack(app, stages.dev);
  return app.synth().getStackByName(stackName).template;
}

function typesOf(resources: Template["Resources"]): string[] {
  return Object.values(resources).map(({ Type }) => Type);
}

function indexesOf(resources: Template["Resources"]): Index[] {
  const table = Object.values(resources).find(({ Type }) => Type === "AWS::DynamoDB::GlobalTable");
  return (table?.Properties?.GlobalSecondaryIndexes ?? []) as Index[];
}

function sameIn(one: readonly Index[], other: readonly Index[], name: string): boolean {
  const [mine, theirs] = [one, other].map((all) => JSON.stringify(all.find(({ IndexName }) => IndexName === name)));
  return mine === theirs;
}

const differing = ["GlobalSecondaryIndexes", "AttributeDefinitions", "RouteSettings"];

/** A resource without what differs between the steps: the table's indexes, and settings of routes. */
function withoutParts({ Type, Properties }: TemplateResource = { Type: "" }): object {
  return JSON.parse(
    JSON.stringify({ Type, Properties }, (key, value) => (differing.includes(key) ? undefined : value)),
  );
}
