import { type Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { type FunctionName, functions as rows } from "../../functions/functions.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

/** A day, and two hours for a call that comes late. */
const latestHours = 26;
const latestFigureHours = 48;

/** Alarms on what is done once a day: that it was done, and what it found. */
export function dailyAlarms({ functions }: MonitoredResources, namespace: string): AlarmRow[] {
  const drift = (statistic: "Maximum" | "SampleCount") =>
    ownMetric(namespace, "TotalsDrift", {}, { statistic, minutes: 60 });
  const calls = (name: FunctionName) =>
    awsMetric("Lambda Invocations", { FunctionName: functions.get(name) ?? "" }, { statistic: "Sum", minutes: 60 });
  return [
    notRunAlarm("mark-overdue", calls("mark-overdue"), latestHours),
    notRunAlarm("rotate-signing-key", calls("rotate-signing-key"), latestHours),
    // A run that ends is one with a figure; calls that run out of time are none.
    notRunAlarm("reconcile-totals", drift("SampleCount"), latestFigureHours),
    {
      // A figure stands until the next day's.
      id: "totals-drift",
      metric: drift("Maximum"),
      threshold: 1,
      treatMissingData: TreatMissingData.IGNORE,
      impact: "Some lists show a wrong total, or a search by number or date misses a record.",
      heading: "Totals differ",
    },
  ];
}

function notRunAlarm(name: FunctionName, metric: Metric, periods: number): AlarmRow {
  return {
    id: `${name}-not-run`,
    metric,
    threshold: 1,
    isBelow: true,
    periods,
    treatMissingData: TreatMissingData.BREACHING,
    impact: rows[name].impact,
    heading: "Daily work has not run",
  };
}
