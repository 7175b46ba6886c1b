import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { AlarmRow, MonitoredResources } from "./alarm-row.ts";
import { AlarmTopic } from "./alarm-topic.ts";
import { alarmsOf } from "./alarms.ts";
import { addDashboard } from "./dashboard.ts";
import { placeInRunbook } from "./runbook.ts";

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
  constructor(scope: Construct, id: string, { stage, watched }: MonitoringProps) {
    super(scope, id);
    const rows = alarmsOf(watched, stage);
    const alarms = rows.map((row) => this.#addAlarm(row, stage));
    if (stage.alarmAddress !== undefined) {
      const action = new SnsAction(new AlarmTopic(this, "Alarms", stage.alarmAddress).topic);
      for (const alarm of alarms) {
        alarm.addAlarmAction(action);
        // So that whoever was woken learns that it is over.
        alarm.addOkAction(action);
      }
    }
    addDashboard(this, { stage, watched, rows, alarms });
  }

  #addAlarm(row: AlarmRow, stage: Stage): Alarm {
    const { id, metric, threshold, isBelow, periods = 1, treatMissingData, impact, heading } = row;
    const { LESS_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = ComparisonOperator;
    const ofFew = metric.statistic.startsWith("p") ? { evaluateLowSampleCountPercentile: "ignore" } : {};
    return new Alarm(this, id, {
      alarmName: `${namesOf(stage.name).stack}-${id}`,
      alarmDescription: `${impact} Runbook: ${placeInRunbook(heading, stage)}`,
      metric,
      threshold,
      comparisonOperator: isBelow ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: missingData[treatMissingData],
      ...ofFew,
    });
  }
}
