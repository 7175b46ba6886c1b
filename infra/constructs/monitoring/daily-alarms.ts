import { type Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { type FunctionName, functions as rows } from "../../functions/functions.ts";
import { type AlarmRow, awsMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

/** A day, and two hours for a call that comes late. */
const latestHours = 26;
const latestFigureHours = 48;

/** Alarms on what is done once a day: that it was done, and what it found. */
export function dailyAlarms({ functions }: MonitoredResources, namespace: string): AlarmRow[] {
  const differences = (statistic: "Maximum" | "SampleCount") =>
    ownMetric(namespace, "CounterDifferences", {}, { statistic, minutes: 60 });
  const calls = (name: FunctionName) =>
    awsMetric("Lambda Invocations", { FunctionName: functions.get(name) ?? "" }, { statistic: "Sum", minutes: 60 });
  return [
    notRunAlarm("mark-overdue", calls("mark-overdue"), latestHours),
    notRunAlarm("rotate-signing-key", calls("rotate-signing-key"), latestHours),
    // A run that ends is one with a figure; one that runs out of time is none.
    notRunAlarm("recount-lists", differences("SampleCount"), latestFigureHours),
    {
      // A figure stands until the next night's.
      id: "counters-differ",
      metric: differences("Maximum"),
      threshold: 1,
      treatMissingData: TreatMissingData.IGNORE,
      impact: "Some lists show a wrong total, or leave records out of a range of dates.",
      heading: "Counters differ",
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
