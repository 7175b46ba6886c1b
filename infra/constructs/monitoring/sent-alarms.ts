import { Duration } from "aws-cdk-lib";
import { type Alarm, AlarmRule, CompositeAlarm, type IAlarmAction } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Stage } from "../../stages/stage-shape.ts";
import { type AlarmRow, describe } from "./alarm-row.ts";
import { notify } from "./alarm-topics.ts";
import { alarmNameOf } from "./runbook.ts";

/** An alarm waits this long for its cause, because causes are evaluated every five minutes. */
const wait = Duration.minutes(6);
/** A function's figure covers 15 minutes, so it outlasts the cause. */
const extension = Duration.minutes(20);

export interface MadeAlarm {
  readonly row: AlarmRow;
  readonly alarm: Alarm;
}

/** Sends each alarm to those who hear of its severity: by itself, or by a composite that is silent while its cause fires. */
export function sendAlarms(
  scope: Construct,
  stage: Stage,
  made: readonly MadeAlarm[],
  actions: Readonly<Record<"page" | "tomorrow", IAlarmAction>>,
): void {
  for (const { row, alarm } of made) {
    const cause = made.find(({ row: { id } }) => id === row.silentDuring)?.alarm;
    notify(cause ? silentDuring(cause, { scope, stage, row, alarm }) : alarm, actions[row.severity ?? "tomorrow"]);
  }
}

interface SilencedAlarm extends MadeAlarm {
  readonly scope: Construct;
  readonly stage: Stage;
}

function silentDuring(cause: Alarm, { scope, stage, row, alarm }: SilencedAlarm): CompositeAlarm {
  const id = `${row.id}-${row.severity ?? "tomorrow"}`;
  const composite = new CompositeAlarm(scope, id, {
    compositeAlarmName: alarmNameOf(stage, id),
    alarmDescription: describe(row, stage),
    alarmRule: AlarmRule.fromString(`ALARM("${alarmNameOf(stage, row.id)}")`),
    actionsSuppressor: cause,
    actionsSuppressorWaitPeriod: wait,
    actionsSuppressorExtensionPeriod: extension,
  });
  // CloudWatch refuses a composite of alarms that do not exist.
  composite.node.addDependency(alarm);
  return composite;
}
