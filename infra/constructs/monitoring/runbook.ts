import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";

const file = "infra/RUNBOOK.md";

/** The place of a heading in the runbook: its address if the stage names one, else file and heading. */
export function placeInRunbook(heading: string, { runbookUrl }: Pick<Stage, "runbookUrl">): string {
  return runbookUrl ? `${runbookUrl}#${anchorOf(heading)}` : `${file}, "${heading}"`;
}

/** The name of an alarm in AWS. It begins with the stack's name, by which a stage's alarms are found. */
export function alarmNameOf({ name }: Pick<Stage, "name">, id: string): string {
  return `${namesOf(name).stack}-${id}`;
}

/** The same as Markdown, for the dashboard. */
export function linkToRunbook(heading: string, stage: Pick<Stage, "runbookUrl">): string {
  const place = placeInRunbook(heading, stage);
  return stage.runbookUrl ? `[${heading}](${place})` : place;
}

/** The anchor that common Markdown viewers make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
