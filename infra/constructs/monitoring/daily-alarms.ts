import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { dailyFunctions, rowOf } from "../../functions/service-table.ts";
import { type AlarmRow, functionMetric, type MonitoredResources, ownMetric } from "./alarm-row.ts";

const latestCall = { periods: 26, because: "A day, and two hours for a call that comes late." };
const latestFigure = { periods: 48, because: "One night may lack its figure: a run that is out of time leaves none." };

/** Alarms on what is done once a day: that it was done, and what it found. */
export function dailyAlarms({ service, stage }: MonitoredResources): AlarmRow[] {
  const differences = (statistic: "Maximum" | "SampleCount") =>
    ownMetric(stage, "CounterDifferences", {}, { statistic, minutes: 60 });
  const calls = (name: string) => functionMetric(stage, name, "Invocations", { statistic: "Sum", minutes: 60 });
  // A run that ends is one with a figure; one that runs out of time is none.
  const runs = (name: string) =>
    name === "recount-lists"
      ? { metric: differences("SampleCount"), ...latestFigure }
      : { metric: calls(name), ...latestCall };
  return [
    ...dailyFunctions(service).map((name) => notRunAlarm(name, rowOf(service, name).impact, runs(name))),
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

function notRunAlarm(name: string, impact: string, runs: Pick<AlarmRow, "metric" | "periods" | "because">): AlarmRow {
  return {
    id: `${name}-not-run`,
    ...runs,
    threshold: 1,
    isBelow: true,
    treatMissingData: TreatMissingData.BREACHING,
    impact,
    heading: "Daily work has not run",
  };
}
