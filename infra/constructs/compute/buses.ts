import { Duration } from "aws-cdk-lib";
import { EventBus, EventBusPolicy, Match, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Effect, type IRole, PolicyStatement, StarPrincipal } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import { createQueue, overTlsAlone } from "./work-queue.ts";

/** Name of the only rule on the inbound bus. */
export const intakeRuleName = "every-event";

/**
 * Adds the bus through which other systems send their records to the service. Sends every event to a queue, and those that cannot
 * be delivered for a day to a queue of their own.
 */
export function addIntakeBus(stack: Construct, stageName: string, queue: Queue | undefined) {
  const scope = new Construct(stack, "IntakeBus");
  const bus = new EventBus(scope, "Bus", { eventBusName: namesOf(stageName).eventBus });
  const undelivered = createQueue(scope, "Undelivered");
  if (queue) {
    new Rule(scope, "Every", {
      ruleName: intakeRuleName,
      eventBus: bus,
      // Matches every event, because every source begins with the empty text.
      eventPattern: { source: Match.prefix("") },
      targets: [new SqsQueue(queue, { deadLetterQueue: undelivered, maxEventAge: Duration.hours(24) })],
    });
    for (const each of [queue, undelivered]) each.addToResourcePolicy(overTlsAlone());
  }
  return { bus, undelivered };
}

/** Adds the bus on which the service's events go out (D42). Other systems subscribe by rules of their own. */
export function addOutboundBus(stack: Construct, stageName: string): EventBus {
  const scope = new Construct(stack, "OutboundBus");
  return new EventBus(scope, "Bus", { eventBusName: namesOf(stageName).outboundBus });
}

/** Denies everybody except a role to put events, whatever rights others have in the account. Without a role, denies everybody. */
export function denyOthers(eventBus: EventBus, sender?: IRole): void {
  // Callers without a role, such as a rule of another bus, are denied too: a missing key equals nothing.
  const conditions = sender && { ArnNotEquals: { "aws:PrincipalArn": sender.roleArn } };
  const statementId = "OnlyTheSender";
  const statement = new PolicyStatement({
    sid: statementId,
    effect: Effect.DENY,
    principals: [new StarPrincipal()],
    actions: ["events:PutEvents"],
    resources: [eventBus.eventBusArn],
    conditions,
  });
  const scope = eventBus.node.scope ?? eventBus;
  new EventBusPolicy(scope, statementId, { eventBus, statementId, statement: statement.toStatementJson() });
}
