import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow, MonitoredResources } from "./alarm-row.ts";
import { AlarmTopic } from "./alarm-topic.ts";
import { alarmsOf } from "./alarms.ts";
import { addDashboard } from "./dashboard.ts";
import { functionAlarm } from "./function-alarms.ts";
import { alarmNameOf, placeInRunbook } from "./runbook.ts";

const missingData = {
  notBreaching: TreatMissingData.NOT_BREACHING,
  breaching: TreatMissingData.BREACHING,
  ignore: TreatMissingData.IGNORE,
};

/** What is watched of a stage. */
export interface MonitoringProps {
  readonly stage: Stage;
  readonly watched: MonitoredResources;
}

/** The stage's alarms, the dashboard, and where the alarms are sent when the stage names an address. */
export class Monitoring extends Construct {
  readonly #stage: Stage;
  readonly #action: SnsAction | undefined;

  /** `scopes` has the construct of each function, which its alarm belongs to. */
  constructor(scope: Construct, id: string, props: MonitoringProps & { scopes: ReadonlyMap<string, Construct> }) {
    super(scope, id);
    const { stage, watched, scopes } = props;
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
    const others = alarmsOf(watched, stage);
    for (const row of others) this.#addAlarm(this, row.id, row);
    addDashboard(this, { stage, watched, rows: [...others, ...ofFunctions] });
  }

  #addAlarm(scope: Construct, constructId: string, row: AlarmRow): void {
    const { id, metric, threshold, isBelow, periods = 1, treatMissingData, impact, heading } = row;
    const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;
    const ofFew = metric.statistic.startsWith("p") ? { evaluateLowSampleCountPercentile: "ignore" } : {};
    const alarm = new Alarm(scope, constructId, {
      alarmName: alarmNameOf(this.#stage, id),
      alarmDescription: `${impact} Runbook: ${placeInRunbook(heading, this.#stage)}`,
      metric,
      threshold,
      comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: missingData[treatMissingData],
      ...ofFew,
    });
    if (!this.#action) return;
    alarm.addAlarmAction(this.#action);
    // So that whoever was woken learns that it is over.
    alarm.addOkAction(this.#action);
  }
}
