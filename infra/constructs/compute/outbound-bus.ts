import { EventBus, EventBusPolicy } from "aws-cdk-lib/aws-events";
import { Effect, type IRole, PolicyStatement, StarPrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";

/**
 * The event bus on which the service's events go out (D42). Other systems subscribe by rules of their own. Only the
 * service's sender may put events, whatever rights others have in the account.
 */
export class OutboundBus extends Construct {
  readonly bus: EventBus;
  readonly source: string;

  constructor(scope: Construct, id: string, stageName: string) {
    super(scope, id);
    const { outboundBus: eventBusName, eventSource } = namesOf(stageName);
    this.source = eventSource;
    this.bus = new EventBus(this, "Bus", { eventBusName });
  }

  /** Lets a function put events on the bus, and sets the bus's name in its environment. */
  grantPut(fn: LambdaFunction): void {
    fn.addEnvironment("OUTBOUND_BUS_NAME", this.bus.eventBusName);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["events:PutEvents"], resources: [this.bus.eventBusArn] }));
  }

  /** Denies everybody except this role to put events. Without a role, denies everybody. */
  denyOthers(sender?: IRole): void {
    // Callers without a role, such as a rule of another bus, are denied too: a missing key equals nothing.
    const conditions = sender && { ArnNotEquals: { "aws:PrincipalArn": sender.roleArn } };
    const statement = new PolicyStatement({
      sid: "OnlyTheSender",
      effect: Effect.DENY,
      principals: [new StarPrincipal()],
      actions: ["events:PutEvents"],
      resources: [this.bus.eventBusArn],
      conditions,
    });
    new EventBusPolicy(this, "OnlyTheSender", {
      eventBus: this.bus,
      statementId: "OnlyTheSender",
      statement: statement.toStatementJson(),
    });
  }
}
