import { Duration } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption, QueuePolicy, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { QueueName } from "../../../shared/run/settings.ts";
import { functions } from "../../functions/functions.ts";
import { type QueueRow, queues } from "../../functions/queues.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { withReason } from "../reason.ts";
import { type ServiceFunction, timeoutSecondsOf } from "./service-function.ts";

/** A call that Lambda throttles counts as a try. AWS advises at least five. */
const usualTries = 5;
const advised =
  "AWS advises six timeouts of the worker, and five tries: a batch can be throttled before another call sees it.";
const capped =
  "Ten is the most that does not wait to be full. Without a cap, calls are added until the account has none left for the API.";

const forPeople = "The longest that SQS allows: a person reads them.";

/** An encrypted queue, and the reason for its figures. By default it keeps messages for 14 days. */
export function createQueue(scope: Construct, id: string, props: QueueProps = {}, reason = forPeople): Queue {
  const usual = { encryption: QueueEncryption.SQS_MANAGED, retentionPeriod: Duration.days(14) };
  return withReason(new Queue(scope, id, { ...usual, ...props }), reason);
}

/** Denies calls without TLS to whatever queue has this in its policy. */
export function overTlsAlone(): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ["sqs:*"],
    resources: ["*"],
    conditions: { Bool: { "aws:SecureTransport": "false" } },
  });
}

/**
 * Gives one policy to queues that have no other, as a queue takes one alone: calls use TLS. A policy of each would count among the
 * stack's 500 resources.
 */
export function requireTls(scope: Construct, queues: readonly Queue[]): void {
  const policy = new QueuePolicy(new Construct(scope, "Queues"), "Policy", { queues: [...queues] });
  policy.document.addStatements(overTlsAlone());
}

/** A queue that one worker consumes, with its dead letters. */
export class WorkQueue extends Construct {
  readonly name: string;
  readonly row: QueueRow;
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, name: string, row: QueueRow) {
    super(scope, name.charAt(0).toUpperCase() + name.slice(1));
    this.name = name;
    this.row = row;
    this.deadLetters = createQueue(this, "DeadLetters");
    const props = {
      visibilityTimeout: Duration.seconds(6 * timeoutSecondsOf(functions[row.worker])),
      retentionPeriod: Duration.hours(row.retentionHours),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: row.tries ?? usualTries },
    };
    this.queue = createQueue(this, "Queue", props, `${row.kept} ${advised}`);
  }

  /** Has a function be called with the messages of the queue, and lets it take them. */
  addConsumer(worker: ServiceFunction): void {
    // Calls above the reserved concurrency would be throttled, and each would count as a try of its messages.
    const mapping = new EventSourceMapping(worker, "Queue", {
      target: worker.live,
      eventSourceArn: this.queue.queueArn,
      batchSize: 10,
      maxConcurrency: Math.min(this.row.mostCalls, worker.reserved ?? this.row.mostCalls),
      reportBatchItemFailures: true,
    });
    withReason(mapping, capped);
    worker.live.addToRolePolicy(allowOn([this.queue], "ReceiveMessage", "DeleteMessage", "GetQueueAttributes"));
  }
}

/** Allows actions of SQS on some queues. */
export function allowOn(queues: readonly Queue[], ...actions: string[]): PolicyStatement {
  const resources = queues.map(({ queueArn }) => queueArn);
  return new PolicyStatement({ actions: actions.map((each) => `sqs:${each}`), resources });
}

export function addQueues(scope: Construct, stage: Stage): readonly WorkQueue[] {
  const wanted = Object.entries(queues).filter(([, { onlyIf }]) => onlyIf?.(stage) ?? true);
  return wanted.map(([name, row]) => new WorkQueue(scope, name, row));
}

/** The queue of that name, unless the stage has none. Throws if no stage has one. */
export function findQueue(made: readonly WorkQueue[], wanted: QueueName): Queue | undefined {
  // Synth runs without a check of types, so a name that is wrong comes as far as this.
  if (!Object.hasOwn(queues, wanted)) {
    throw new Error(`No queue has the name ${wanted}: correct sendsTo, or add its row to infra/functions/queues.ts.`);
  }
  return made.find(({ name }) => name === wanted)?.queue;
}
