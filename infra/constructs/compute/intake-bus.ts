import { Duration } from "aws-cdk-lib";
import { EventBus, Match, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { createQueue } from "./work-queue.ts";

/** Name of the only rule on the bus. */
export const intakeRuleName = "every-event";

/** The event bus through which other systems send their records to the service. */
export class IntakeBus extends Construct {
  readonly bus: EventBus;
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, eventBusName: string) {
    super(scope, id);
    this.bus = new EventBus(this, "Bus", { eventBusName });
    this.undelivered = createQueue(this, "Undelivered");
  }

  /** Sends every event of the bus to a queue. Events that cannot be delivered for a day go to a queue of their own. */
  addTarget(queue: Queue): void {
    new Rule(this, "Every", {
      ruleName: intakeRuleName,
      eventBus: this.bus,
      // Matches every event, because every source begins with the empty text.
      eventPattern: { source: Match.prefix("") },
      targets: [new SqsQueue(queue, { deadLetterQueue: this.undelivered, maxEventAge: Duration.hours(24) })],
    });
  }
}
