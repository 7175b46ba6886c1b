import { Duration, TimeZone } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";
import type { DailyTime } from "../../functions/function-row.ts";

const retries = 2;
const triedForHours = 6;

export interface DailyScheduleProps extends Required<DailyTime> {
  readonly fn: IFunction;
}

/** Calls a function once a day. Retries if the call does not reach it or fails. */
export class DailySchedule extends Construct {
  constructor(scope: Construct, id: string, { hour, minute, timeZone, fn }: DailyScheduleProps) {
    super(scope, id);
    const limits = { maxEventAge: Duration.hours(triedForHours), retryAttempts: retries };
    // The schedule retries until Lambda has accepted the call. Lambda then retries until the function succeeds.
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
