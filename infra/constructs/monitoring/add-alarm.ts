import { Alarm, ComparisonOperator, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Stage } from "../../stages/stages.ts";
import { withReason } from "../reason.ts";
import type { AlarmRow } from "./alarm-row.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

export function addAlarm(scope: Construct, constructId: string, row: AlarmRow, stage: Stage): Alarm {
  const { id, metric, threshold, isBelow, compared, treatMissingData = TreatMissingData.NOT_BREACHING } = row;
  const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;
  const isOfFew = metric instanceof Metric && metric.statistic.startsWith("p");
  const alarm = new Alarm(scope, constructId, {
    alarmName: alarmNameOf(stage, id),
    alarmDescription: `${row.impact} Runbook: ${placeInRunbook(row.heading, stage)}`,
    metric,
    threshold,
    comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: compared ?? row.periods ?? 1,
    // The expression says 0 of all but the last period.
    ...(compared !== undefined && { datapointsToAlarm: 1 }),
    treatMissingData,
    ...(isOfFew && { evaluateLowSampleCountPercentile: "ignore" }),
  });
  return row.because === undefined ? alarm : withReason(alarm, row.because);
}
