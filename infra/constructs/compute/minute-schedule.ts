import { Duration } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";

/** Calls a function every minute. What fails is tried again for as long as the next calls do not make it needless. */
export class MinuteSchedule extends Construct {
  constructor(scope: Construct, id: string, { fn }: { readonly fn: IFunction }) {
    super(scope, id);
    const limits = { maxEventAge: Duration.minutes(5), retryAttempts: 2 };
    fn.configureAsyncInvoke(limits);
    new Schedule(this, "Schedule", {
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(fn, limits),
    });
  }
}
