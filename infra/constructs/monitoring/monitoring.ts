import { Alarm, ComparisonOperator, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { accountAlarms } from "./account-alarms.ts";
import type { AlarmRow, MonitoredResources } from "./alarm-row.ts";
import { AlarmTopics } from "./alarm-topics.ts";
import { apiAlarms } from "./api-alarms.ts";
import { dailyAlarms } from "./daily-alarms.ts";
import { addDashboard } from "./dashboard.ts";
import { addFailureSummaries } from "./failure-summaries.ts";
import { functionAlarm } from "./function-alarms.ts";
import { messageAlarms } from "./message-alarms.ts";
import { queueAlarms } from "./queue-alarms.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

/** What is watched of a stage. */
interface MonitoringProps {
  readonly stage: Stage;
  readonly watched: MonitoredResources;
  /** The construct of each function, which its alarm belongs to. */
  readonly scopes: ReadonlyMap<string, Construct>;
}

/** The stage's alarms, the dashboard, and where the alarms are sent when the stage names an address. */
export class Monitoring extends Construct {
  readonly #stage: Stage;

  constructor(scope: Construct, id: string, { stage, watched, scopes }: MonitoringProps) {
    super(scope, id);
    this.#stage = stage;
    const { metrics } = namesOf(stage.name);
    const functions = [...scopes].map(([name, owner]) => ({ owner, row: functionAlarm(name, watched, metrics) }));
    for (const { owner, row } of functions) this.#addAlarm(owner, "Alarm", row);
    const rows = [
      ...apiAlarms(watched),
      ...messageAlarms(stage, metrics),
      ...queueAlarms(watched),
      ...dailyAlarms(watched, metrics),
      ...accountAlarms(stage),
    ];
    const alarms = rows.map((row) => ({ row, alarm: this.#addAlarm(this, row.id, row) }));
    this.#notify(alarms, functions);
    addDashboard(this, { stage, watched, rows: [...rows, ...functions.map(({ row }) => row)] });
  }

  /** Sends what fires, and that it is over; functions are summed up, as they all fail with what all of them need. */
  #notify(
    alarms: readonly { readonly row: AlarmRow; readonly alarm: Alarm }[],
    functions: readonly { readonly row: AlarmRow; readonly owner: Construct }[],
  ): void {
    const { alarmAddress: address, pagerUrl } = this.#stage;
    if (address === undefined) return;
    const topics = new AlarmTopics(this, "Alarms", { address, ...(pagerUrl !== undefined && { pagerUrl }) });
    const actions = { page: new SnsAction(topics.page), tomorrow: new SnsAction(topics.tomorrow) };
    for (const { row, alarm } of alarms) {
      const action = actions[row.severity ?? "tomorrow"];
      alarm.addAlarmAction(action);
      // So that whoever was woken learns that it is over.
      alarm.addOkAction(action);
    }
    addFailureSummaries(this, { stage: this.#stage, functions, actions });
  }

  #addAlarm(scope: Construct, constructId: string, row: AlarmRow): Alarm {
    const { id, metric, threshold, isBelow, periods = 1, treatMissingData = TreatMissingData.NOT_BREACHING } = row;
    const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;
    const isOfFew = metric instanceof Metric && metric.statistic.startsWith("p");
    return new Alarm(scope, constructId, {
      alarmName: alarmNameOf(this.#stage, id),
      alarmDescription: `${row.impact} Runbook: ${placeInRunbook(row.heading, this.#stage)}`,
      metric,
      threshold,
      comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData,
      ...(isOfFew && { evaluateLowSampleCountPercentile: "ignore" }),
    });
  }
}
