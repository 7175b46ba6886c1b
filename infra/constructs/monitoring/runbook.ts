import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";

const file = "infra/RUNBOOK.md";

/** Where people read a heading of the runbook: its address where the stage names one, else the file and the heading. */
export function placeInRunbook(heading: string, { runbookUrl }: Pick<Stage, "runbookUrl">): string {
  return runbookUrl ? `${runbookUrl}#${anchorOf(heading)}` : `${file}, "${heading}"`;
}

/** The name of an alarm in AWS: the alarms of a stage are found by what it begins with. */
export function alarmNameOf({ name }: Pick<Stage, "name">, id: string): string {
  return `${namesOf(name).stack}-${id}`;
}

/** The same as Markdown, for the dashboard. */
export function linkToRunbook(heading: string, stage: Pick<Stage, "runbookUrl">): string {
  const place = placeInRunbook(heading, stage);
  return stage.runbookUrl ? `[${heading}](${place})` : place;
}

/** What the usual viewers of Markdown make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
