import { expect, test } from "vitest";
import type { Template } from "../../../infra/whole-template.ts";
import { findSynthesis } from "../stack.ts";
import { everyStage } from "../synthesize-stages.ts";

/** API Gateway's control plane takes ten operations a second, and a nested stack makes its routes all at once. */
const mostAtOnce = 3;

test.each(everyStage)("of $name at most three nested stacks make routes at once", ({ name }) => {
  const { template, parts } = findSynthesis(name);
  const [root] = Object.values(parts);
  const routes = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::ApiGatewayV2::Route");
  const stacks = new Set(routes.map(([id]) => id.split(".")[0] ?? ""));
  expect(stacks.size).toBeGreaterThan(mostAtOnce);
  const before = [...stacks].map((id) => dependenciesOf(root, id).filter((each) => stacks.has(each)));
  // Each waits for one other at most, and nobody for the same: these are chains, as many as there are stacks that wait for none.
  expect(Math.max(...before.map(({ length }) => length))).toBe(1);
  expect(new Set(before.flat()).size).toBe(before.flat().length);
  expect(before.filter(({ length }) => length === 0).length).toBeLessThanOrEqual(mostAtOnce);
});

test("a chain of prod has its even share of the nested stacks with canaries, at its end: a deploy waits five minutes for each of them", () => {
  const { template, parts } = findSynthesis("prod");
  const [root] = Object.values(parts);
  const groups = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::CodeDeploy::Application");
  const careful = new Set(groups.map(([id]) => id.split(".")[0] ?? ""));
  expect(careful.size).toBeGreaterThan(mostAtOnce);
  const countTo = (id: string): number => {
    const before = dependenciesOf(root, id).filter((each) => /^Endpoints\d$/.test(each));
    return Math.max(0, ...before.map(countTo)) + (careful.has(id) ? 1 : 0);
  };
  expect(Math.max(...[...careful].map(countTo))).toBe(Math.ceil(careful.size / mostAtOnce));
  const others = Object.keys(root?.Resources ?? {}).filter((id) => /^Endpoints\d$/.test(id) && !careful.has(id));
  expect(others.filter((id) => countTo(id) > 0)).toEqual([]);
  expect(others.length).toBeGreaterThan(0);
});

function dependenciesOf(root: Template | undefined, id: string): readonly string[] {
  return [root?.Resources[id]?.DependsOn ?? []].flat();
}
