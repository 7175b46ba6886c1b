import { Construct } from "constructs";
import { accountAlarms } from "./account-alarms.ts";
import { addAlarm, type MonitoredResources } from "./alarm-row.ts";
import { AlarmTopics } from "./alarm-topics.ts";
import { apiAlarms } from "./api-alarms.ts";
import { addDashboard } from "./dashboard.ts";
import { dailyAlarms, functionAlarms } from "./function-alarms.ts";
import { messageAlarms } from "./message-alarms.ts";
import { queueAlarms } from "./queue-alarms.ts";
import { repairRoleAlarm } from "./roles.ts";
import { sendAlarms } from "./sent-alarms.ts";
import { trafficAlarms } from "./traffic-alarms.ts";

const rowsOf = [
  apiAlarms,
  trafficAlarms,
  functionAlarms,
  messageAlarms,
  queueAlarms,
  dailyAlarms,
  accountAlarms,
  repairRoleAlarm,
];

/** The alarms of a stage that has somebody to hear them, their recipients, and the dashboard. */
export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, watched: MonitoredResources) {
    super(scope, id);
    const { stage } = watched;
    const made = rowsOf.flatMap((of) => of(watched)).map((row) => ({ row, alarm: addAlarm(this, row.id, row, stage) }));
    const topics = new AlarmTopics(this, "Alarms", { address: stage.alarmAddress, pagerUrl: stage.pagerUrl });
    sendAlarms(this, stage, made, { tomorrow: topics.addTomorrow(), page: topics.addPage() });
    addDashboard(this, watched, made);
  }
}
