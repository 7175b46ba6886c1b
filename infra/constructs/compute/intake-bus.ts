import { Duration } from "aws-cdk-lib";
import { EventBus, Match, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { createQueue } from "./encrypted-queue.ts";

/** Name of the rule, on a bus that has no other. */
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

  /** Leads every event of the bus to a queue; what cannot be delivered for a day goes to a queue of its own. */
  addTarget(queue: Queue): void {
    new Rule(this, "Every", {
      ruleName: intakeRuleName,
      eventBus: this.bus,
      // The pattern that every event matches: its source begins with nothing in particular.
      eventPattern: { source: Match.prefix("") },
      targets: [new SqsQueue(queue, { deadLetterQueue: this.undelivered, maxEventAge: Duration.hours(24) })],
    });
  }
}
