import { type StageSetting, type StageWebhooks, stageSettings, variableOf } from "../../shared/settings.ts";
import { namesOf } from "./names.ts";
import { type Stage, textOf } from "./stage-shape.ts";

/** The value of a setting in a stage, as functions get it in their environment. */
export function readStageSetting(stage: Stage, setting: StageSetting): string {
  const value: unknown = stage[setting] ?? textOf(setting).otherwise ?? "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * The part of the webhooks' settings that functions need. It is small because a function's environment is limited to 4
 * KB.
 */
export function readWebhooks({ name, webhooks = [] }: Stage): string {
  const receivers = webhooks.map(({ name, url, contentType }) => ({ name, url, contentType }));
  return JSON.stringify({ queues: namesOf(name).webhookQueue(""), receivers } satisfies StageWebhooks);
}

/** All settings of a stage by variable, for tools, which belong to no single function. */
export function readStageSettings(stage: Stage): Record<string, string> {
  const names = Object.keys(stageSettings) as StageSetting[];
  return {
    ...Object.fromEntries(names.map((name) => [variableOf(name), readStageSetting(stage, name)])),
    WEBHOOKS: readWebhooks(stage),
  };
}
