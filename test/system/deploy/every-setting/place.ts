import type { Stage } from "../../../../infra/stages/stage-shape.ts";
import type { Account } from "../account.ts";
import { optionsOf, writeStagesFile } from "../adopted-stage.ts";
import type { DeployedStage } from "../deployed-stage.ts";
import { runTool } from "../program.ts";
import type { MakeRelease } from "./releases.ts";
import type { Shell } from "./shell.ts";

/** The stage with every setting as it is by now, and what its tests do with it. */
export interface Place {
  readonly aws: Account;
  settings: Stage;
  stage: DeployedStage;
  release: MakeRelease;
  shell: Shell;
}

/** Gives the stage other settings, for the next deploy and for tools. */
export function changeSettings(place: Place, changes: Partial<Stage>): void {
  place.settings = { ...place.settings, ...changes };
  writeStagesFile(place.aws.directory, place.settings);
}

/** Runs a command of the project, such as `recount`, on the stage. */
export function runStageTool({ aws, settings }: Place, name: string, ...options: readonly string[]) {
  return runTool(name, ...optionsOf(settings, aws.directory), ...options);
}

/** Deploys a release by a call of cdk; `context` is what that is given with `-c`. */
export function deployRelease(
  { aws, settings, release }: Place,
  name: string,
  context: Readonly<Record<string, string>> = {},
  call: readonly string[] = ["deploy"],
) {
  const app = release(settings, { name, context }, aws.output(`${name}${Object.values(context)}`));
  return aws.cdk([...call, "--require-approval", "never", "--app", app]);
}
