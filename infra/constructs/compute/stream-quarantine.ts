import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { createQueue } from "./encrypted-queue.ts";

/** Holds changes of the table that a stream consumer could not take, for a person to look at; no function consumes it. */
export class StreamQuarantine extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = createQueue(this, "Queue");
  }

  /** Lets a function quarantine changes, and sets the queue's URL in its environment. */
  grantQuarantine(fn: LambdaFunction): void {
    fn.addEnvironment("QUARANTINE_QUEUE_URL", this.queue.queueUrl);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }
}
