import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findStage } from "../../infra/stages/stages.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { readSynthesis, synthesizeStages } from "./synthesize-stages.ts";

test("a stage whose synthesis fails fails the tests that read it, with the reason, and no other stage's", () => {
  const folder = join(newFolder(), "stages");
  mkdirSync(folder);
  const dev = findStage("dev");
  synthesizeStages([{ ...dev, name: "no name" }, dev], folder);
  expect(() => readSynthesis(folder, "no name")).toThrow(/^The stage no name has no synthesis: .*Stack name/);
  expect(Object.keys(readSynthesis(folder, "dev").template.Resources).length).toBeGreaterThan(200);
}, 60_000);
