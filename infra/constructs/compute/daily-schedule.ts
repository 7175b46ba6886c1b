import { Duration, TimeZone } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";

const retries = 2;
const triedForHours = 6;

/** When a schedule calls its function, every day. */
export interface DailyScheduleProps {
  readonly hour: number;
  readonly minute: number;
  /** IANA time zone of the hour; UTC where none is named. */
  readonly timeZone?: string;
  readonly fn: IFunction;
}

/** Calls a function once a day, and again when the call did not reach it or it failed. */
export class DailySchedule extends Construct {
  constructor(scope: Construct, id: string, { hour, minute, timeZone = "Etc/UTC", fn }: DailyScheduleProps) {
    super(scope, id);
    const limits = { maxEventAge: Duration.hours(triedForHours), retryAttempts: retries };
    // The schedule tries until Lambda has taken the call; Lambda then tries until the function has succeeded.
    fn.configureAsyncInvoke(limits);
    new Schedule(this, "Schedule", {
      schedule: ScheduleExpression.cron({
        hour: String(hour),
        minute: String(minute),
        timeZone: TimeZone.of(timeZone),
      }),
      target: new LambdaInvoke(fn, limits),
    });
  }
}
