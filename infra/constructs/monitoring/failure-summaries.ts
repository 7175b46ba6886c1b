import { Duration } from "aws-cdk-lib";
import { AlarmRule, CompositeAlarm, type IAlarmAction, type IAlarmRule } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Area } from "../../functions/function-row.ts";
import type { Stage } from "../../stages/stages.ts";
import type { ServiceFunction } from "../compute/service-function.ts";
import type { AlarmRow } from "./alarm-row.ts";
import { notify } from "./alarm-topics.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

/** Alarms on causes that make every function fail, each of which is sent by itself. No caller can cause them. */
const common = ["table-fails-GetItem", "table-fails-TransactGetItems", "table-fails-TransactWriteItems"];
/** An alarm on functions waits this long for a common cause, because causes are evaluated every five minutes. */
const wait = Duration.minutes(6);
/** A function's figure covers 15 minutes, so it outlasts the common cause. */
const extension = Duration.minutes(20);

export interface WatchedFunction {
  readonly row: AlarmRow;
  readonly owner: ServiceFunction;
}

interface FailureSummariesProps {
  readonly stage: Stage;
  readonly functions: readonly WatchedFunction[];
  readonly actions: Readonly<Record<"page" | "tomorrow", IAlarmAction>>;
}

type About = Pick<AlarmRow, "impact" | "heading">;

/**
 * Sends an alarm for each function whose failures cannot wait, and one for the others of each area, so that a small fault
 * that stands hides no other area's. All stay silent while an alarm on a common cause fires: a failing table would otherwise send one alarm for each function.
 * A summary's reason names the alarms behind it.
 */
export function addFailureSummaries(scope: Construct, { stage, functions, actions }: FailureSummariesProps): void {
  const cause = new CompositeAlarm(scope, "CommonCause", {
    compositeAlarmName: alarmNameOf(stage, "common-cause"),
    alarmDescription: "Keeps the alarms of functions silent: what all of them need has one that is sent.",
    alarmRule: anyOf(stage, common),
  });
  cause.node.addDependency(...common.map((id) => scope.node.findChild(id)));
  const send = (id: string, summed: readonly WatchedFunction[], about: About, action: IAlarmAction) => {
    const ids = summed.map(({ row }) => row.id);
    const summary = new CompositeAlarm(scope, id, {
      compositeAlarmName: alarmNameOf(stage, id),
      alarmDescription: `${about.impact} Runbook: ${placeInRunbook(about.heading, stage)}`,
      alarmRule: anyOf(stage, ids),
      actionsSuppressor: cause,
      actionsSuppressorWaitPeriod: wait,
      actionsSuppressorExtensionPeriod: extension,
    });
    // CloudWatch refuses a summary of alarms that do not exist.
    summary.node.addDependency(...summed.map(({ owner }) => owner));
    notify(summary, action);
  };
  const [paging, waiting] = [functions.filter(pages), functions.filter((each) => !pages(each))];
  for (const each of paging) send(`${each.row.id}-page`, [each], each.row, actions.page);
  for (const [area, summed] of Map.groupBy(waiting, ({ owner }) => owner.row.area)) {
    send(`${area}-tomorrow`, summed, aboutArea(area), actions.tomorrow);
  }
}

function aboutArea(area: Area): About {
  const impact = `Something of ${area} does not work: each alarm that the reason names says what.`;
  return { impact, heading: area === "workers" ? "A worker fails" : "An operation fails" };
}

function pages({ row }: WatchedFunction): boolean {
  return row.severity === "page";
}

function anyOf(stage: Stage, ids: readonly string[]): IAlarmRule {
  return AlarmRule.fromString(ids.map((id) => `ALARM("${alarmNameOf(stage, id)}")`).join(" OR "));
}
