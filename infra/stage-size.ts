import { Annotations, CfnResource, type Stack } from "aws-cdk-lib";
import type { Stage } from "./stages/stage-shape.ts";
import { type Setting, settingNames, stageShape } from "./stages/stage-shape.ts";

/** CloudFormation takes 500 resources in a template. The rest is for the repair of a stage that is full. */
const mostResources = 485;

/** The resources of a stack's template. */
export function countResources(stack: Stack): number {
  return stack.node.findAll().filter((each) => CfnResource.isCfnResource(each)).length;
}

/**
 * Refuses to deploy a stack above the most resources, in an error annotation. It names the setting without which, or with another word
 * of which, the stage has the fewest; `countOf` gives the resources of a stage that is set so.
 */
export function refuseAboveMost(stack: Stack, stage: Stage, countOf: (stage: Stage) => number): void {
  const count = countResources(stack);
  if (count <= mostResources) return;
  const counts = settingNames.map((name) => [name, Math.min(count, ...othersOf(stage, name).map(countOf))] as const);
  const [[name, fewest] = ["none", count]] = counts.toSorted(([, one], [, other]) => one - other);
  Annotations.of(stack).addError(
    `The stage ${stage.name} has ${count} resources, ${count - mostResources} more than the ${mostResources} that its template may have. ` +
      `Of its settings ${name} brings most of them: ${count - fewest}. Change it, or move the functions of an area into a ` +
      "nested stack with the area's name (infra/functions/function-row.ts lists the areas).",
  );
}

/** More words than this are names, such as those of countries, and bring no resources. */
const mostWords = 5;

/** The stage without a setting, or with its other words. */
function othersOf(stage: Stage, name: Setting): Stage[] {
  const { [name]: value, ...without } = stage;
  const entry = stageShape.entries[name];
  if (value === undefined) return [];
  if ("wrapped" in entry) return [without as Stage];
  const words: readonly unknown[] = "options" in entry ? entry.options : [];
  return words.length > mostWords
    ? []
    : words.filter((word) => word !== value).map((word) => ({ ...stage, [name]: word }));
}
