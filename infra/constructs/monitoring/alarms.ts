import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow, MonitoredResources } from "./alarm-row.ts";
import { apiAlarms } from "./api-alarms.ts";
import { dailyAlarms } from "./daily-alarms.ts";
import { functionAlarms } from "./function-alarms.ts";
import { messageAlarms } from "./message-alarms.ts";
import { queueAlarms } from "./queue-alarms.ts";

/** Every alarm of a stage. */
export function alarmsOf(watched: MonitoredResources, stage: Stage): AlarmRow[] {
  const namespace = namesOf(stage.name).metrics;
  return [
    ...apiAlarms(watched),
    ...messageAlarms(stage, namespace),
    ...queueAlarms(watched),
    ...dailyAlarms(watched, namespace),
    ...functionAlarms(watched, namespace),
  ];
}
