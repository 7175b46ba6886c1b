import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { hashesIn } from "../../infra/functions/bundle-places.ts";
import { functions } from "../../infra/functions/functions.ts";
import { readManifest } from "../../infra/functions/release.ts";
import { namesOf } from "../../infra/stages/names.ts";
import type { Template } from "../../infra/whole-template.ts";
import { builtBundles } from "../support/service/made-stack.ts";
import { everyStage, synthesizeStage, writeStubBundles } from "../support/service/synthesize-stages.ts";
import { findSynthesis, useStack } from "./stack.ts";

const directory = mkdtempSync(join(tmpdir(), "workforce-releases-"));
afterAll(() => rmSync(directory, { recursive: true }));

const commit = "c0ffee".padEnd(40, "0");

/** The manifests that templates hold, and the properties of all other resources; a nested stack is in a part of its own. */
function split(parts: Readonly<Record<string, Template>>) {
  const all = Object.values(parts).flatMap(({ Resources }) => Object.entries(Resources));
  const ofType = (type: string) => all.filter(([, { Type }]) => Type === type);
  const left = new Set([...ofType("AWS::SSM::Parameter"), ...ofType("AWS::CloudFormation::Stack")]);
  const others = all.filter((each) => !left.has(each)).map(([id, { Properties }]) => [id, Properties]);
  const manifests = ofType("AWS::SSM::Parameter").map(([, { Properties }]) => readManifest(String(Properties?.Value)));
  return { manifests, others };
}

/** The first stage, synthesised from these bundles at the commit above. */
function synthesizeFrom(bundles: string) {
  const [stage] = everyStage;
  if (!stage) throw new Error("There is no stage");
  const outdir = mkdtempSync(join(directory, "out-"));
  return { stage, ...split(synthesizeStage({ stage, bundles, commit, outdir }).parts) };
}

test("a commit that changes no function changes the manifest alone", () => {
  const bundles = join(directory, "bundles");
  writeStubBundles(bundles, Object.keys(functions));
  const { stage, ...after } = synthesizeFrom(bundles);
  const before = split(findSynthesis(stage.name).parts);
  expect(JSON.stringify(after.others) === JSON.stringify(before.others)).toBe(true);
  expect(before.others.length).toBeGreaterThan(300);
  const hashes: string[] = [];
  expect([before.manifests, after.manifests]).toEqual([[{ commit: "unknown", hashes }], [{ commit, hashes }]]);
}, 60_000);

test("the manifest of a release names its commit and the build of every function", async () => {
  const bundles = await builtBundles();
  const [manifest] = synthesizeFrom(bundles).manifests;
  // The stage has no webhooks, and no function for them.
  const names = Object.keys(functions).filter((name) => name !== "deliver-webhook");
  const built = hashesIn(bundles, names);
  expect(built).toHaveLength(names.length);
  expect(manifest?.commit).toBe(commit);
  expect(manifest?.hashes.toSorted()).toEqual(built.toSorted());
}, 60_000);

test("the manifest of the local machine has the name of its stage, and the commit that is checked out", async () => {
  const [parameter] = (await useStack()).all("AWS::SSM::Parameter");
  expect(parameter?.properties.Name).toBe(namesOf("local").release);
  expect(readManifest(parameter?.properties.Value).commit).toMatch(/^([0-9a-f]{40}(-dirty)?|unknown)$/);
});
