import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, type IFunction, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { ServiceFunctionName } from "../functions.ts";
import { timeoutSecondsOf } from "./service-function.ts";

const triesBeforeDeadLetter = 3;

/** What a queue is made from. */
export interface WorkQueueProps {
  /** The function that works the queue off. */
  readonly worker: ServiceFunctionName;
  /** The setting that tells a function the queue's address; none where no function queues. */
  readonly setting?: "PIN_QUEUE_URL" | "NOTICE_QUEUE_URL" | "NOTIFICATION_QUEUE_URL" | "PUSH_QUEUE_URL";
  /** How long a message may wait for its worker. */
  readonly retentionHours: number;
  /** Most batches that are worked off at once; without it as many as Lambda starts. */
  readonly maximumConcurrency?: number;
}

/** A queue that one worker works off, with a place for what fails again and again. */
export class WorkQueue extends Construct {
  readonly worker: ServiceFunctionName;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #props: WorkQueueProps;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.#props = props;
    this.worker = props.worker;
    this.deadLetters = new Queue(this, "DeadLetters", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // AWS's own advice: long enough for a batch to be throttled and tried again before anyone else sees it.
      visibilityTimeout: Duration.seconds(6 * timeoutSecondsOf(props.worker)),
      retentionPeriod: Duration.hours(props.retentionHours),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: triesBeforeDeadLetter },
    });
  }

  /** Lets a function queue messages; tells it the queue's address. */
  grantQueue(fn: LambdaFunction): void {
    if (this.#props.setting) fn.addEnvironment(this.#props.setting, this.queue.queueUrl);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }

  /** Makes a function the worker of the queue: the one that the queue was made for. */
  feed(fn: IFunction): void {
    new EventSourceMapping(this, "Worker", {
      target: fn,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      ...(this.#props.maximumConcurrency !== undefined && { maxConcurrency: this.#props.maximumConcurrency }),
      reportBatchItemFailures: true,
    });
    const actions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [this.queue.queueArn] }));
  }
}
