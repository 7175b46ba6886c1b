import type { Stage } from "../../stages/stages.ts";
import { type AlarmRow, ownMetric } from "./alarm-row.ts";

/** Alarm on releases that the probe proved nothing of, in a stage that has a probe. */
export function releaseAlarms({ probeLogin }: Stage, namespace: string): AlarmRow[] {
  if (probeLogin === undefined) return [];
  return [
    {
      id: "release-unproven",
      metric: ownMetric(namespace, "ReleasesUnproven", {}, { statistic: "Sum", minutes: 60 }),
      threshold: 1,
      impact: "Users lose nothing yet, but new versions are released that nobody has tried.",
      heading: "A release is unproven",
    },
  ];
}
