import { EventBus, EventBusPolicy } from "aws-cdk-lib/aws-events";
import { Effect, type IRole, PolicyStatement, StarPrincipal } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

/** What the outbound bus of a stage is made from. */
export interface OutboundBusProps {
  readonly eventBusName: string;
  /** What its events say they come from. */
  readonly source: string;
}

/**
 * The event bus on which the service's events go out (D42). Other systems lead them on by rules of their own; nobody but the
 * service's sender puts any, whatever rights they have in the account.
 */
export class OutboundBus extends Construct {
  readonly bus: EventBus;
  readonly source: string;

  constructor(scope: Construct, id: string, { eventBusName, source }: OutboundBusProps) {
    super(scope, id);
    this.source = source;
    this.bus = new EventBus(this, "Bus", { eventBusName });
  }

  /** Lets a function put events on the bus, and sets the bus in its environment. */
  grantPut(fn: LambdaFunction): void {
    fn.addEnvironment("OUTBOUND_BUS_NAME", this.bus.eventBusName);
    fn.addToRolePolicy(new PolicyStatement({ actions: ["events:PutEvents"], resources: [this.bus.eventBusArn] }));
  }

  /** Denies putting events to everybody but a role; without one, to everybody. */
  denyOthers(sender?: IRole): void {
    // Whoever has no role at all, such as a rule of another bus, is denied as well: a key that is missing equals nothing.
    const conditions = sender && { ArnNotEquals: { "aws:PrincipalArn": sender.roleArn } };
    const statement = new PolicyStatement({
      sid: "OnlyTheSender",
      effect: Effect.DENY,
      principals: [new StarPrincipal()],
      actions: ["events:PutEvents"],
      resources: [this.bus.eventBusArn],
      ...(conditions && { conditions }),
    });
    new EventBusPolicy(this, "OnlyTheSender", {
      eventBus: this.bus,
      statementId: "OnlyTheSender",
      statement: statement.toStatementJson(),
    });
  }
}
