import { type StageSetting, stageSettings, variableOf } from "../../shared/run/settings.ts";
import { type Stage, settingTextOf } from "./stage-shape.ts";

/** The value of a setting in a stage, as functions get it in their environment. */
export function readStageSetting(stage: Stage, setting: StageSetting): string {
  const value: unknown = stage[setting] ?? settingTextOf(setting).otherwise ?? "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** All settings of a stage by variable, for tools, which belong to no single function. */
export function readStageSettings(stage: Stage): Record<string, string> {
  const names = Object.keys(stageSettings) as StageSetting[];
  return Object.fromEntries(names.map((name) => [variableOf(name), readStageSetting(stage, name)]));
}
