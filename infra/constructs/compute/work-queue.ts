import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { functions } from "../../functions/functions.ts";
import type { QueueRow } from "../../functions/queues.ts";
import type { ServiceFunctionName } from "../../functions/worker-rows.ts";
import { type ServiceFunction, timeoutSecondsOf } from "./service-function.ts";

const triesBeforeDeadLetter = 3;

/** A queue that one worker works off, with a place for what fails again and again. */
export class WorkQueue extends Construct {
  readonly worker: ServiceFunctionName;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #row: QueueRow;

  constructor(scope: Construct, id: string, row: QueueRow) {
    super(scope, id);
    this.#row = row;
    this.worker = row.worker;
    this.deadLetters = new Queue(this, "DeadLetters", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // AWS's own advice: long enough for a batch to be throttled and tried again before anyone else sees it.
      visibilityTimeout: Duration.seconds(6 * timeoutSecondsOf(functions[row.worker])),
      retentionPeriod: Duration.hours(row.retentionHours),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: triesBeforeDeadLetter },
    });
  }

  /** Lets a function queue messages; tells it the queue's address. */
  grantQueue(fn: LambdaFunction): void {
    if (this.#row.setting) fn.addEnvironment(this.#row.setting, this.queue.queueUrl);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }

  /** Makes a function the worker of the queue: the one that the queue was made for. */
  addConsumer(worker: ServiceFunction): void {
    const fn = worker.live;
    new EventSourceMapping(worker, "Queue", {
      target: fn,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    const actions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [this.queue.queueArn] }));
  }
}
