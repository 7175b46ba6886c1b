import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { functions as rows } from "../../infra/functions/functions.ts";
import { stages } from "../../infra/stages/stages.ts";
import { rollback } from "../../infra/tools/rollback.ts";
import { ownedStage } from "../infra/stages/owned-stage.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { useFakeAws } from "./fake-aws.ts";
import { expectMistake, runTool } from "./machine.ts";

const functions = Object.entries(rows)
  .flatMap(([name, { canary }]) => (canary ? [name] : []))
  .toSorted();
const lastWeek = "2026-06-01T08:00:00.000+0000";
const anHourBefore = "2026-06-08T07:00:00.000+0000";
const today = "2026-06-08T08:00:00.000+0000";
const soonAfter = "2026-06-08T08:07:00.000+0000";

interface Alias {
  FunctionVersion: string;
  RevisionId: string;
  RoutingConfig?: { AdditionalVersionWeights: Record<string, number> };
}

const lambda = { aliases: new Map<string, Alias>(), moved: [] as string[] };
const aws = useFakeAws();

const file = join(newFolder(), "stages.json");
writeFileSync(file, JSON.stringify({ prod: ownedStage("prod"), dev: stages.dev }));
beforeEach(() => {
  lambda.moved = [];
  for (const name of functions) release(name, [lastWeek, today]);
});

test("all functions of the last release go back to the version before, and it says how the cure is deployed", async () => {
  const { code, out } = await run("--stage", "prod");
  expect(code).toBe(0);
  expect(lambda.moved.toSorted()).toEqual(functions);
  expect(new Set([...lambda.aliases.values()].map(({ FunctionVersion }) => FunctionVersion))).toEqual(new Set(["1"]));
  expect(out).toContain("sign-in: went from version 2 to 1\n");
  expect(out).toContain("npx cdk deploy Workforce-prod -c stage=prod -c release=now");
  expect(out).not.toContain("canary");
});

test("with --dry-run it says the same of what would be, and moves nothing", async () => {
  const { code, out } = await run("--stage", "prod", "--dry-run");
  expect({ code, moved: lambda.moved }).toEqual({ code: 0, moved: [] });
  for (const name of functions) expect(out).toContain(`${name}: would go from version 2 to 1\n`);
});

test.each([
  ["a week", lastWeek, soonAfter],
  ["an hour", anHourBefore, "2026-06-08T07:00:01.000+0000"],
])("a function that was released %s before stays: its version before is not the release before", async (_, before, during) => {
  release("list-jobs", [before]);
  release("sign-in", [lastWeek, lastWeek, during]);
  const { code, out } = await run("--stage", "prod");
  expect(code).toBe(0);
  expect(lambda.moved).not.toContain("list-jobs");
  expect(lambda.moved).toHaveLength(functions.length - 1);
  expect(out).toContain("list-jobs: stays at version 1, which is older than the last release");
  expect(out).toContain("sign-in: went from version 3 to 2");
});

test("a canary that is under way ends with the version before taking all calls", async () => {
  release("sign-in", [lastWeek, today], { live: "1", weights: { "2": 0.1 } });
  const { out } = await run("--stage", "prod");
  expect(lambda.moved).toContain("sign-in");
  expect(lambda.aliases.get("sign-in")).toEqual({
    FunctionVersion: "1",
    RevisionId: "next",
    RoutingConfig: { AdditionalVersionWeights: {} },
  });
  expect(out).toContain("sign-in: went from version 2 to 1");
  expect(out).toMatch(/^A canary is under way, .*: stop it as "Roll back" in infra\/RUNBOOK\.md says\.$/m);
});

test("an alias that somebody else moved meanwhile is not moved", async () => {
  // What is read is out of date at once.
  aws.answers[`GET ${pathOf("sign-in")}/aliases/live`] = { json: { FunctionVersion: "2", RevisionId: "stale" } };
  await expect(run("--stage", "prod")).rejects.toThrow("PreconditionFailedException");
  expect(lambda.moved).not.toContain("sign-in");
});

test("where no version before is left, it ends with 1 and says so", async () => {
  release("sign-in", [today]);
  const { code, out } = await run("--stage", "prod");
  expect(code).toBe(1);
  expect(out).toContain("sign-in: stays at version 1, as no version before it is left");
});

test("a stage without versions, and no stage, are mistakes that say what to do", async () => {
  await expectMistake(run("--stage", "dev"), "check out the last good commit");
  await expectMistake(rollback([]), "Say which stage");
});

const run = (...parameters: string[]) => runTool(() => rollback([...parameters, "--stages", file]));

/** A function with a version for each moment at which it was released; the alias leads to the newest unless `changed` says which. */
function release(
  name: string,
  moments: readonly string[],
  changed: { live?: string; weights?: Record<string, number> } = {},
) {
  const versions = moments.map((LastModified, at) => ({ Version: String(at + 1), LastModified }));
  lambda.aliases.set(name, {
    FunctionVersion: changed.live ?? String(moments.length),
    RevisionId: "first",
    ...(changed.weights && { RoutingConfig: { AdditionalVersionWeights: changed.weights } }),
  });
  const path = pathOf(name);
  aws.answers[`GET ${path}/versions`] = {
    json: { Versions: [{ Version: "$LATEST", LastModified: moments.at(-1) }, ...versions] },
  };
  aws.answers[`GET ${path}/aliases/live`] = () => ({ json: lambda.aliases.get(name) ?? {} });
  aws.answers[`PUT ${path}/aliases/live`] = ({ RevisionId, ...moved }) => {
    if (RevisionId !== lambda.aliases.get(name)?.RevisionId) return { error: "PreconditionFailedException" };
    lambda.moved.push(name);
    lambda.aliases.set(name, { FunctionVersion: "", ...moved, RevisionId: "next" });
    return { json: moved };
  };
}

function pathOf(name: string): string {
  return `/2015-03-31/functions/workforce-prod-${name}`;
}
