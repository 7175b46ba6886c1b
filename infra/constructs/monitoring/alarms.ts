import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow, MonitoredResources } from "./alarm-row.ts";
import { apiAlarms } from "./api-alarms.ts";
import { dailyAlarms } from "./daily-alarms.ts";
import { messageAlarms } from "./message-alarms.ts";
import { queueAlarms } from "./queue-alarms.ts";

/** The alarms of a stage, but for those of single functions. */
export function alarmsOf(watched: MonitoredResources, stage: Stage): AlarmRow[] {
  const namespace = namesOf(stage.name).metrics;
  return [
    ...apiAlarms(watched),
    ...messageAlarms(stage, namespace),
    ...queueAlarms(watched),
    ...dailyAlarms(watched, namespace),
  ];
}
