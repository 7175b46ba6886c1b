import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { rowOf } from "../../functions/service-table.ts";
import type { Stage } from "../../stages/stages.ts";
import { accountAlarms } from "./account-alarms.ts";
import { type AlarmRow, addAlarm, type MonitoredResources } from "./alarm-row.ts";
import { AlarmTopics } from "./alarm-topics.ts";
import { apiAlarms } from "./api-alarms.ts";
import { addDashboard } from "./dashboard.ts";
import { addFailureSummaries, type WatchedFunction } from "./failure-summaries.ts";
import { dailyAlarms, functionAlarm, releaseAlarms } from "./function-alarms.ts";
import { messageAlarms } from "./message-alarms.ts";
import { queueAlarms } from "./queue-alarms.ts";
import { repairRoleAlarm } from "./roles.ts";
import { trafficAlarms } from "./traffic-alarms.ts";

const rowsOf = [
  apiAlarms,
  trafficAlarms,
  messageAlarms,
  queueAlarms,
  dailyAlarms,
  releaseAlarms,
  accountAlarms,
  repairRoleAlarm,
];

/** The stage's alarms, its dashboard, and the alarms' recipients if the stage names an address. */
export class Monitoring extends Construct {
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, watched: MonitoredResources) {
    super(scope, id);
    const { stage } = watched;
    this.#stage = stage;
    const functions = [...watched.functions].map(([name, owner]) => {
      return { owner, area: rowOf(watched.service, name).area, row: functionAlarm(name, watched) };
    });
    for (const { owner, row } of functions) addAlarm(owner, "Alarm", row, stage);
    const rows = rowsOf.flatMap((of) => of(watched));
    const alarms = rows.map((row) => ({ row, alarm: addAlarm(this, row.id, row, stage) }));
    this.#notify(alarms, functions);
    addDashboard(this, { watched, rows: [...rows, ...functions.map(({ row }) => row)] });
  }

  /**
   * Notifies when an alarm fires and when it ends. Functions are summarised, as they all fail together if something
   * common fails.
   */
  #notify(
    alarms: readonly { readonly row: AlarmRow; readonly alarm: Alarm }[],
    functions: readonly WatchedFunction[],
  ): void {
    const { alarmAddress: address, pagerUrl } = this.#stage;
    if (address === undefined) return;
    const topics = new AlarmTopics(this, "Alarms", { address, pagerUrl });
    const actions = { tomorrow: new SnsAction(topics.addTomorrow()), page: new SnsAction(topics.addPage()) };
    for (const { row, alarm } of alarms) {
      const action = actions[row.severity ?? "tomorrow"];
      alarm.addAlarmAction(action);
      // Informs the person who was woken that it is over.
      alarm.addOkAction(action);
    }
    addFailureSummaries(this, { stage: this.#stage, functions, actions });
  }
}
