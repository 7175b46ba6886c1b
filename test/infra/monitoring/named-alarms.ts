import { readFileSync } from "node:fs";
import { join } from "node:path";
import { placeInRunbook } from "../../../infra/constructs/monitoring/runbook.ts";
import { fullStage } from "../../support/service/owned-stage.ts";
import type { Resource, SynthesizedStack } from "../stack.ts";

/** The runbook, as people read it. */
export const runbook = readFileSync(join(import.meta.dirname, "../../../infra/RUNBOOK.md"), "utf8");

/** Its headings. */
export const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);

/** The heading that an alarm's text ends in, as the file or as its address. */
export const headingOf = ({ AlarmDescription }: Resource["properties"]) =>
  headings.find((heading) =>
    [{}, fullStage].some((stage) => AlarmDescription.endsWith(` Runbook: ${placeInRunbook(heading, stage)}`)),
  );

/** The alarms that people are notified of; those that only watch a release have no name. */
export const alarmsOf = ({ all }: SynthesizedStack) =>
  all("AWS::CloudWatch::Alarm").filter(({ properties }) => typeof properties.AlarmName === "string");
