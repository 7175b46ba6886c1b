import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { stages } from "../../../infra/stages/stages.ts";

/** A stage that somebody has who takes the project as it comes. */
export const adoptedStage: Stage = {
  ...stages.dev,
  name: "harbour",
  serviceName: "Harbour Crew",
  senderAddress: "no-reply@harbour-logistics.co.uk",
};

/** The options by which tools find a stage in the file of stages that somebody keeps outside the checkout. */
export function optionsOf({ name }: Stage, directory: string): string[] {
  return ["--stage", name, "--stages", stagesFileIn(directory)];
}

function stagesFileIn(directory: string): string {
  return join(directory, "stages.mjs");
}

/** Writes that file, with one stage, and gives its place. */
export function writeStagesFile(directory: string, stage: Stage): string {
  const file = stagesFileIn(directory);
  writeFileSync(file, `export default ${JSON.stringify({ [stage.name]: stage }, null, 2)};\n`);
  return file;
}
