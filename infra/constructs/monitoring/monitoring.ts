import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow, MonitoredResources } from "./alarm-row.ts";
import { AlarmTopic } from "./alarm-topic.ts";
import { apiAlarms } from "./api-alarms.ts";
import { dailyAlarms } from "./daily-alarms.ts";
import { addDashboard } from "./dashboard.ts";
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
  readonly #action: SnsAction | undefined;

  constructor(scope: Construct, id: string, { stage, watched, scopes }: MonitoringProps) {
    super(scope, id);
    this.#stage = stage;
    if (stage.alarmAddress !== undefined) {
      this.#action = new SnsAction(new AlarmTopic(this, "Alarms", stage.alarmAddress).topic);
    }
    const { metrics } = namesOf(stage.name);
    const ofFunctions = [...scopes].map(([name, owner]) => {
      const row = functionAlarm(name, watched, metrics);
      this.#addAlarm(owner, "Alarm", row);
      return row;
    });
    const others = [
      ...apiAlarms(watched),
      ...messageAlarms(stage, metrics),
      ...queueAlarms(watched),
      ...dailyAlarms(watched, metrics),
    ];
    for (const row of others) this.#addAlarm(this, row.id, row);
    addDashboard(this, { stage, watched, rows: [...others, ...ofFunctions] });
  }

  #addAlarm(scope: Construct, constructId: string, row: AlarmRow): void {
    const { id, metric, threshold, isBelow, periods = 1, treatMissingData = TreatMissingData.NOT_BREACHING } = row;
    const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;
    const ofFew = metric.statistic.startsWith("p") ? { evaluateLowSampleCountPercentile: "ignore" } : {};
    const alarm = new Alarm(scope, constructId, {
      alarmName: alarmNameOf(this.#stage, id),
      alarmDescription: `${row.impact} Runbook: ${placeInRunbook(row.heading, this.#stage)}`,
      metric,
      threshold,
      comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData,
      ...ofFew,
    });
    if (!this.#action) return;
    alarm.addAlarmAction(this.#action);
    // So that whoever was woken learns that it is over.
    alarm.addOkAction(this.#action);
  }
}
