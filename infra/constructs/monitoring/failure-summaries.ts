import { Duration } from "aws-cdk-lib";
import { AlarmRule, CompositeAlarm, type IAlarmAction } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow } from "./alarm-row.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

/** What makes every function fail, and has alarms of its own that are sent. */
const common = ["api-5xx", "table-fails-GetItem", "table-fails-TransactWriteItems", "functions-throttled"];
/** How long an alarm on functions waits for one of those: they are looked at every five minutes. */
const wait = Duration.minutes(6);
/** What one function counts stays in its figure for 15 minutes after the common cause is gone. */
const extension = Duration.minutes(20);

/** What the summaries are made from. */
interface FailureSummariesProps {
  readonly stage: Stage;
  readonly functions: readonly { readonly row: AlarmRow; readonly owner: Construct }[];
  readonly actions: Readonly<Record<"page" | "tomorrow", IAlarmAction>>;
}

/**
 * One alarm that is sent for all functions whose failures cannot wait, and one for the others. Both stay silent while what all
 * functions need has an alarm: a table that fails would send one for each. What is sent names the alarms behind it.
 */
export function addFailureSummaries(scope: Construct, { stage, functions, actions }: FailureSummariesProps): void {
  const anyOf = (ids: readonly string[]) =>
    AlarmRule.fromString(ids.map((id) => `ALARM("${alarmNameOf(stage, id)}")`).join(" OR "));
  const cause = new CompositeAlarm(scope, "CommonCause", {
    compositeAlarmName: alarmNameOf(stage, "common-cause"),
    alarmDescription: "Keeps the alarms of functions silent: what all of them need has one that is sent.",
    alarmRule: anyOf(common),
  });
  cause.node.addDependency(...common.map((id) => scope.node.findChild(id)));
  for (const severity of ["page", "tomorrow"] as const) {
    const own = functions.filter(({ row }) => (row.severity ?? "tomorrow") === severity);
    const what = severity === "page" ? "Users are shut out" : "Something does not work";
    const summary = new CompositeAlarm(scope, `functions-${severity}`, {
      compositeAlarmName: alarmNameOf(stage, `functions-${severity}`),
      alarmDescription: `${what}: each alarm that the reason names says what. Runbook: ${placeInRunbook("An operation fails", stage)}`,
      alarmRule: anyOf(own.map(({ row }) => row.id)),
      actionsSuppressor: cause,
      actionsSuppressorWaitPeriod: wait,
      actionsSuppressorExtensionPeriod: extension,
    });
    // CloudWatch takes no summary of alarms that are not there.
    summary.node.addDependency(...own.map(({ owner }) => owner));
    summary.addAlarmAction(actions[severity]);
    summary.addOkAction(actions[severity]);
  }
}
