import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { functions } from "../../infra/functions/functions.ts";
import { readManifest } from "../../infra/functions/release.ts";
import { namesOf } from "../../infra/stages/names.ts";
import type { Template } from "../../infra/whole-template.ts";
import { everyStage, synthesizeStage, writeStubBundles } from "../support/service/synthesize-stages.ts";

const directory = mkdtempSync(join(tmpdir(), "workforce-releases-"));
afterAll(() => rmSync(directory, { recursive: true }));

const [one, other] = ["a".repeat(40), "b".repeat(40)] as const;
const hash = "0123456789ab";

function synthesize(commit: string) {
  const [stage] = everyStage;
  if (!stage) throw new Error("There is no stage");
  const bundles = join(directory, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  writeFileSync(join(bundles, "sign-in", `sign-in.${hash}.cjs`), "");
  const { parts } = synthesizeStage({ stage, bundles, commit, outdir: join(directory, commit) });
  return { stage, parts };
}

/** The manifests that templates hold, and the properties of all other resources; a nested stack is in a part of its own. */
function split(parts: Readonly<Record<string, Template>>) {
  const all = Object.values(parts).flatMap(({ Resources }) => Object.entries(Resources));
  const ofType = (type: string) => all.filter(([, { Type }]) => Type === type);
  const left = new Set([...ofType("AWS::SSM::Parameter"), ...ofType("AWS::CloudFormation::Stack")]);
  const others = all.filter((each) => !left.has(each)).map(([id, { Properties }]) => [id, Properties]);
  return { manifests: ofType("AWS::SSM::Parameter").map(([, { Properties }]) => Properties), others };
}

test("a commit that changes no function changes the manifest alone, which names it and the builds", () => {
  const [first, second] = [synthesize(one), synthesize(other)];
  const [before, after] = [split(first.parts), split(second.parts)];
  expect(JSON.stringify(after.others) === JSON.stringify(before.others)).toBe(true);
  expect(before.others.length).toBeGreaterThan(300);
  expect(before.manifests).toHaveLength(1);
  const { Name, Value } = before.manifests[0] as { Name: string; Value: string };
  expect(Name).toBe(namesOf(first.stage.name).release);
  expect(readManifest(Value)).toEqual({ commit: one, hashes: [hash] });
  expect(readManifest(String(after.manifests[0]?.Value)).commit).toBe(other);
});
