import { Duration } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { functions } from "../../functions/functions.ts";
import type { QueueRow } from "../../functions/queues.ts";
import type { ServiceFunctionName } from "../../functions/worker-rows.ts";
import { createQueue } from "./encrypted-queue.ts";
import { type ServiceFunction, timeoutSecondsOf } from "./service-function.ts";

/** A call that Lambda throttles counts as a try. AWS advises at least five. */
const usualTries = 5;

/** A queue that one worker consumes, with its dead letters. */
export class WorkQueue extends Construct {
  readonly worker: ServiceFunctionName;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #mostCalls: number;

  constructor(scope: Construct, id: string, row: QueueRow) {
    super(scope, id);
    this.worker = row.worker;
    this.#mostCalls = row.mostCalls;
    this.deadLetters = createQueue(this, "DeadLetters");
    this.queue = createQueue(this, "Queue", {
      // The factor is AWS's advice: a batch can be throttled and retried before another call sees it.
      visibilityTimeout: Duration.seconds(6 * timeoutSecondsOf(functions[row.worker])),
      retentionPeriod: Duration.hours(row.retentionHours),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: row.tries ?? usualTries },
    });
  }

  /** Makes a function the worker of the queue. */
  addConsumer(worker: ServiceFunction): void {
    const fn = worker.live;
    new EventSourceMapping(worker, "Queue", {
      target: fn,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      maxConcurrency: this.#mostCallsOf(worker),
      reportBatchItemFailures: true,
    });
    const actions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
    fn.addToRolePolicy(new PolicyStatement({ actions, resources: [this.queue.queueArn] }));
  }

  /** Calls above the reserved concurrency would be throttled, and each would count as a try of its messages. */
  #mostCallsOf({ reserved }: ServiceFunction): number {
    return Math.min(this.#mostCalls, reserved ?? this.#mostCalls);
  }
}
