import { Construct } from "constructs";
import { accountAlarms } from "./account-alarms.ts";
import { addAlarm, type MonitoredResources } from "./alarm-row.ts";
import { AlarmTopics, notify } from "./alarm-topics.ts";
import { apiAlarms } from "./api-alarms.ts";
import { addDashboard } from "./dashboard.ts";
import { addFailureSummaries } from "./failure-summaries.ts";
import { dailyAlarms, functionAlarm } from "./function-alarms.ts";
import { messageAlarms } from "./message-alarms.ts";
import { queueAlarms } from "./queue-alarms.ts";
import { repairRoleAlarm } from "./roles.ts";
import { trafficAlarms } from "./traffic-alarms.ts";

const rowsOf = [apiAlarms, trafficAlarms, messageAlarms, queueAlarms, dailyAlarms, accountAlarms, repairRoleAlarm];

/**
 * The stage's alarms, its dashboard, and the alarms' recipients if the stage names an address. Functions are summarised,
 * as they all fail together if something common fails.
 */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: MonitoredResources) {
    super(scope, id);
    const { stage } = watched;
    const { alarmAddress: address, pagerUrl } = stage;
    const functions = [...watched.functions].map(([name, owner]) => {
      return { owner, row: functionAlarm(name, owner.row, stage) };
    });
    for (const { owner, row } of functions) addAlarm(owner, "Alarm", row, stage);
    const rows = rowsOf.flatMap((of) => of(watched));
    const alarms = rows.map((row) => ({ row, alarm: addAlarm(this, row.id, row, stage) }));
    if (address !== undefined) {
      const topics = new AlarmTopics(this, "Alarms", { address, pagerUrl });
      const actions = { tomorrow: topics.addTomorrow(), page: topics.addPage() };
      for (const { row, alarm } of alarms) notify(alarm, actions[row.severity ?? "tomorrow"]);
      addFailureSummaries(this, { stage, functions, actions });
    }
    addDashboard(this, watched, [...rows, ...functions.map(({ row }) => row)]);
  }
}
