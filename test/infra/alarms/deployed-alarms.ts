import { OutsideCheckStack } from "../../../infra/outside-check-stack.ts";
import { type Resource, type SynthesizedStack, stackBeside, stackOf } from "../stack.ts";
import { fullStage } from "../stages/owned-stage.ts";

const full = stackOf("full");
const beside = stackBeside((app) => new OutsideCheckStack(app, fullStage));
export const nameOf = ({ properties }: Pick<Resource, "properties">): string =>
  String(properties.AlarmName).replace("Workforce-full-", "");
const composites = full.all("AWS::CloudWatch::CompositeAlarm");
/** The deployed alarms of the full stage and of its check from outside. */
export const deployedAlarms = [full, beside].flatMap(namedAlarms);

/** The alarms of a stack but for those of releases, which have no fixed name. */
export function namedAlarms({ all }: Pick<SynthesizedStack, "all">): Resource[] {
  return all("AWS::CloudWatch::Alarm").filter(({ properties }) => typeof properties.AlarmName === "string");
}

/** Whether it pages by itself, or by the composite that sends it. */
export function isPaging(alarm: Resource): boolean {
  const composite = composites.find(({ properties }) => properties.AlarmRule.includes(`-${nameOf(alarm)}")`));
  return JSON.stringify((composite ?? alarm).properties.AlarmActions).includes("Page");
}
