import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { functionTimeoutSeconds } from "./service-function.ts";

const triesBeforeDeadLetter = 3;

/** What a queue is made from. */
export interface WorkQueueProps {
  /** The setting that tells a function the queue's address. */
  readonly setting: "PIN_QUEUE_URL" | "NOTICE_QUEUE_URL";
  /** How long a message may wait for its worker. */
  readonly retentionHours: number;
}

/** A queue that one worker works off, with a place for what fails again and again. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #setting: WorkQueueProps["setting"];

  constructor(scope: Construct, id: string, { setting, retentionHours }: WorkQueueProps) {
    super(scope, id);
    this.#setting = setting;
    this.deadLetters = new Queue(this, "DeadLetters", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // AWS's own advice: long enough for a batch to be throttled and tried again before anyone else sees it.
      visibilityTimeout: Duration.seconds(6 * functionTimeoutSeconds),
      retentionPeriod: Duration.hours(retentionHours),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: triesBeforeDeadLetter },
    });
  }

  /** Lets a function queue messages; tells it the queue's address. */
  grantQueue(fn: LambdaFunction): void {
    fn.addEnvironment(this.#setting, this.queue.queueUrl);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }

  /** Makes a function the worker of the queue. */
  feed(fn: LambdaFunction): void {
    new EventSourceMapping(this, "Worker", {
      target: fn,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
    });
    this.queue.grantConsumeMessages(fn);
  }
}
