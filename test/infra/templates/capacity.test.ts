import { expect, test } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import { type ServiceTable, service } from "../../../infra/functions/service-table.ts";
import { countResources } from "../../../infra/stage-size.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import { addStack, createApp } from "../../../infra/synthesize.ts";
import { getHealth } from "../../../shared/contract/service.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { findSynthesis, readStack, type Statement, synthesizeAlone } from "../stack.ts";
import { ownedStage } from "../stages/owned-stage.ts";
import { everyStage, writeStubBundles } from "../synthesize-stages.ts";

const mostResources = 485;
/** CloudFormation's limit. */
const mostBytes = 1_000_000;
const mostPolicyCharacters = 10_000;
/** At least as long as a partition, a region and an account; and as the ARN of a function, a queue, a secret or an index. */
const longest = { pseudoParameter: 14, arn: 130 };

test.each(everyStage)("the template of $name is one that CloudFormation takes, and IAM every role's rights", ({
  name,
}) => {
  const { template } = findSynthesis(name);
  // As the CDK writes it.
  expect(Buffer.byteLength(JSON.stringify(template, null, 1))).toBeLessThan(mostBytes);
  for (const [role, statements] of readStack(template).rights())
    expect(charactersOf(statements), role).toBeLessThan(mostPolicyCharacters);
});

test.each(everyStage)("$name has at most 485 resources", ({ name }) => {
  expect(Object.keys(findSynthesis(name).template.Resources).length).toBeLessThanOrEqual(mostResources);
});

test("a stage above that is refused: by how many, which setting brings most of them, and what to do", () => {
  const made = Array.from({ length: 25 }, (_, at) => `made-up-${at}`);
  const table: ServiceTable = {
    operations: [
      ...service.operations,
      ...made.map((name) => ({ ...getHealth, answersHead: false, name, path: `/api/v1/${name}` as const })),
    ],
    functions: {
      ...service.functions,
      ...Object.fromEntries(made.map((name) => [name, { area: "service", impact: `Nobody can do ${name}.` }])),
    },
  };
  const stage = ownedStage("prod");
  const app = createApp({
    outdir: newFolder(),
    treeMetadata: false,
    context: { "aws:cdk:disable-asset-staging": true },
  });
  const stack = addStack(app, stage, (bundles) => writeStubBundles(bundles, Object.keys(table.functions)), table);
  const count = countResources(stack);
  const { alarmAddress: _, ...unwatched } = stage;
  const brought = count - Object.keys(synthesizeAlone({ stage: unwatched, service: table }).Resources).length;
  expect(() => app.synth()).toThrow(
    `The stage prod has ${count} resources, ${count - mostResources} more than the 485 that its template may have. ` +
      `Of its settings alarmAddress brings most of them: ${brought}. Change it, or move the functions of an area into a nested stack with the area's name`,
  );
}, 240_000);

test("the longest stage has names for every function that Lambda takes", () => {
  for (const name of Object.keys(functions)) {
    expect(functionNameOf("x".repeat(20), name).length, name).toBeLessThanOrEqual(64);
  }
});

/** The most characters of a role's rights in ARNs and the like, where the template has references. */
function charactersOf(statements: readonly Statement[]): number {
  return JSON.stringify(statements, (_, value) => {
    const { Ref, "Fn::GetAtt": attribute, "Fn::Join": join } = value ?? {};
    if (Ref?.startsWith("AWS::")) return "x".repeat(longest.pseudoParameter);
    return Ref || attribute ? "x".repeat(longest.arn) : (join?.[1] ?? value);
  }).length;
}
