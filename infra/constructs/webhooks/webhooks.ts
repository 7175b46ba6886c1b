import { Duration } from "aws-cdk-lib";
import { type EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { deadLettersOf } from "../../../shared/settings.ts";
import { functions } from "../../functions/functions.ts";
import { fewestWorkerCalls } from "../../functions/queues.ts";
import { namesOf } from "../../stages/names.ts";
import { readWebhooks } from "../../stages/stage-settings.ts";
import type { Stage, Webhook } from "../../stages/stages.ts";
import { type ServiceFunction, timeoutSecondsOf } from "../compute/service-function.ts";
import { addConsumer, allowOn, createQueue } from "../compute/work-queue.ts";
import { GeneratedSecret, webhookKey } from "../stores/generated-secret.ts";

/**
 * More tries than 24 hours of a failing receiver take. Reached only by messages that the function cannot process at
 * all.
 */
const triesBeforeDeadLetter = 100;

export interface WebhooksProps {
  readonly stage: Stage;
  readonly webhooks: readonly Webhook[];
  readonly outbound: EventBus;
}

export interface WebhookQueue {
  readonly name: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/**
 * The webhooks of a stage (D42). For each, a rule on the outbound bus sends its kinds of events to a queue of its own, so
 * that a failing receiver delays no other. Everything in the queue gets signed, so only the rule may send to it.
 */
export class Webhooks extends Construct {
  readonly queues: readonly WebhookQueue[];
  readonly #stage: Stage;
  readonly #keys: GeneratedSecret;

  constructor(scope: Construct, id: string, { stage, webhooks, outbound }: WebhooksProps) {
    super(scope, id);
    this.#stage = stage;
    // It goes with the last webhook: a key that stayed would keep its name taken, and no later deploy can adopt a secret.
    const passing = { name: namesOf(stage.name).webhookSecret, removal: "delete" } as const;
    this.#keys = new GeneratedSecret(this, "Keys", webhookKey, passing);
    this.queues = webhooks.map((webhook) => addQueue(new Construct(this, webhook.name), stage, webhook, outbound));
  }

  /**
   * Lets a function deliver the messages of all queues. Sets the addresses of the first queue and its dead letters; the
   * others' differ only in name.
   */
  grantDelivery(fn: LambdaFunction): void {
    const [first] = this.queues;
    if (!first) return;
    this.#keys.grantRead(fn);
    fn.addEnvironment("WEBHOOKS", readWebhooks(this.#stage));
    fn.addEnvironment("WEBHOOK_QUEUE_URL", first.queue.queueUrl);
    fn.addEnvironment("WEBHOOK_DEAD_LETTERS_URL", first.deadLetters.queueUrl);
    const all = this.queues.map(({ queue }) => queue);
    const taking = ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"];
    fn.addToRolePolicy(allowOn(all, ...taking));
    const givenUp = this.queues.map(({ deadLetters }) => deadLetters);
    fn.addToRolePolicy(allowOn(givenUp, "SendMessage"));
  }

  /** Makes a function the worker of all queues, with the same concurrency for each. */
  addConsumer(worker: ServiceFunction): void {
    for (const { name, queue } of this.queues) addConsumer(worker, `Webhook-${name}`, queue, fewestWorkerCalls);
  }
}

function addQueue(scope: Construct, stage: Stage, webhook: Webhook, eventBus: EventBus): WebhookQueue {
  const { name, kinds, company } = webhook;
  const queueName = namesOf(stage.name).webhookQueue(name);
  const deadLetters = createQueue(scope, "DeadLetters", { queueName: deadLettersOf(queueName) });
  const props = {
    queueName,
    visibilityTimeout: Duration.seconds(6 * timeoutSecondsOf(functions["deliver-webhook"])),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: triesBeforeDeadLetter },
  };
  const queue = createQueue(scope, "Queue", props, "More tries than a receiver that fails for a day takes.");
  new Rule(scope, "Rule", {
    eventBus,
    eventPattern: {
      source: [namesOf(stage.name).eventSource],
      detailType: [...kinds],
      ...(company !== undefined && { detail: { companyid: [String(company)] } }),
    },
    targets: [new SqsQueue(queue, { deadLetterQueue: deadLetters, maxEventAge: Duration.hours(24) })],
  });
  return { name, queue, deadLetters };
}
