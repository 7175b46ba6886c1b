import { Duration } from "aws-cdk-lib";
import { Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { EventSourceMapping, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { deadLettersOf } from "../../../shared/settings.ts";
import { functions } from "../../functions/functions.ts";
import { fewestWorkerCalls } from "../../functions/queues.ts";
import { namesOf } from "../../stages/names.ts";
import type { Stage, Webhook } from "../../stages/stages.ts";
import { createQueue } from "../compute/encrypted-queue.ts";
import type { OutboundBus } from "../compute/outbound-bus.ts";
import { type ServiceFunction, timeoutSecondsOf } from "../compute/service-function.ts";
import { WebhookKeys } from "./webhook-keys.ts";

/** More than a receiver that fails for 24 hours takes: it ends what the function cannot take at all. */
const triesBeforeDeadLetter = 100;

/** What the webhooks of a stage are made from. */
export interface WebhooksProps {
  readonly stage: Stage;
  readonly webhooks: readonly Webhook[];
  readonly outbound: OutboundBus;
}

/** The queue of a webhook and its dead letters, by the webhook's name. */
export interface WebhookQueue {
  readonly name: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/**
 * The webhooks of a stage (D42): for each a rule on the outbound bus that leads its kinds of events to a queue of its own, so
 * that one whose receiver fails keeps no other waiting. Whatever is in the queue is signed: nothing but the rule may put there.
 */
export class Webhooks extends Construct {
  readonly queues: readonly WebhookQueue[];
  readonly #keys: WebhookKeys;

  constructor(scope: Construct, id: string, { stage, webhooks, outbound }: WebhooksProps) {
    super(scope, id);
    this.#keys = new WebhookKeys(this, "Keys", { ...stage, name: namesOf(stage.name).webhookSecret });
    this.queues = webhooks.map((webhook) => addQueue(new Construct(this, webhook.name), stage, webhook, outbound));
  }

  /** Lets a function deliver what is in the queues, and sets the first ones' addresses, beside which the others are. */
  grantDelivery(fn: LambdaFunction): void {
    const [first] = this.queues;
    if (!first) return;
    this.#keys.grantRead(fn);
    fn.addEnvironment("WEBHOOK_QUEUE_URL", first.queue.queueUrl);
    fn.addEnvironment("WEBHOOK_DEAD_LETTERS_URL", first.deadLetters.queueUrl);
    const allow = (actions: string[], queues: Queue[]) =>
      fn.addToRolePolicy(new PolicyStatement({ actions, resources: queues.map(({ queueArn }) => queueArn) }));
    const taking = ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"];
    allow(
      taking.map((each) => `sqs:${each}`),
      this.queues.map(({ queue }) => queue),
    );
    allow(
      ["sqs:SendMessage"],
      this.queues.map(({ deadLetters }) => deadLetters),
    );
  }

  /** Makes a function the worker of all queues, with as many calls for each. */
  addConsumer(worker: ServiceFunction): void {
    for (const { name, queue } of this.queues) {
      new EventSourceMapping(worker, `Webhook-${name}`, {
        target: worker.live,
        eventSourceArn: queue.queueArn,
        batchSize: 10,
        maxConcurrency: fewestWorkerCalls,
        reportBatchItemFailures: true,
      });
    }
  }
}

function addQueue(scope: Construct, stage: Stage, webhook: Webhook, outbound: OutboundBus): WebhookQueue {
  const { name, kinds, company } = webhook;
  const queueName = namesOf(stage.name).webhookQueue(name);
  const deadLetters = createQueue(scope, "DeadLetters", { queueName: deadLettersOf(queueName) });
  const queue = createQueue(scope, "Queue", {
    queueName,
    visibilityTimeout: Duration.seconds(6 * timeoutSecondsOf(functions["deliver-webhook"])),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: triesBeforeDeadLetter },
  });
  new Rule(scope, "Rule", {
    eventBus: outbound.bus,
    eventPattern: {
      source: [outbound.source],
      detailType: [...kinds],
      ...(company !== undefined && { detail: { companyid: [String(company)] } }),
    },
    targets: [new SqsQueue(queue, { deadLetterQueue: deadLetters, maxEventAge: Duration.hours(24) })],
  });
  return { name, queue, deadLetters };
}
