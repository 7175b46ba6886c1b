import type { IAspect } from "aws-cdk-lib";
import { CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import { CfnAlarm, CfnCompositeAlarm } from "aws-cdk-lib/aws-cloudwatch";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import type { IConstruct } from "constructs";
import type { Operation } from "../../../shared/contract/operation.ts";
import { getHealth, getKeySet } from "../../../shared/contract/service.ts";

/** The operations that a frozen stage answers: monitors ask for the one, who verifies access tokens for the other. */
const answered: readonly Operation[] = [getHealth, getKeySet];

/** True for an operation that is answered while the stage is frozen. */
export function isAnsweredFrozen({ name }: Operation): boolean {
  return answered.some((each) => each.name === name);
}

/**
 * Lets everything run that writes to the table, or stops all of it: requests, which API Gateway then refuses with 429; messages
 * and changes of the stream; schedules. No function changes, so that no canary is waited for. Both values are written out,
 * because CloudFormation leaves a property as it is that a template does not name. A frozen stage notifies nobody: its
 * requests are refused, and its queues fill.
 */
export class Freeze implements IAspect {
  readonly #isFrozen: boolean;

  constructor(isFrozen: boolean) {
    this.#isFrozen = isFrozen;
  }

  visit(each: IConstruct): void {
    const isFrozen = this.#isFrozen;
    if (each instanceof CfnStage && isFrozen) refuseRequests(each);
    if (each instanceof CfnEventSourceMapping) each.enabled = !isFrozen;
    if (each instanceof CfnSchedule) each.state = isFrozen ? "DISABLED" : "ENABLED";
    if (each instanceof CfnAlarm || each instanceof CfnCompositeAlarm) each.actionsEnabled = !isFrozen;
  }
}

/** No request of an average second, and none in a burst. */
const none = { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 };

function refuseRequests(stage: CfnStage): void {
  const open = answered.flatMap(({ method, path }) => [`${method} ${path}`, `HEAD ${path}`]);
  const limits = Object.entries<object>(stage.routeSettings ?? {});
  stage.addPropertyOverride("DefaultRouteSettings", none);
  stage.routeSettings = Object.fromEntries(limits.map(([route, own]) => [route, open.includes(route) ? own : none]));
}
