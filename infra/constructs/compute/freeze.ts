import { CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import { CfnAlarm, CfnCompositeAlarm } from "aws-cdk-lib/aws-cloudwatch";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import type { Construct } from "constructs";

/**
 * Lets everything run that writes to the table, or stops all of it: requests, by a variable that API Gateway hands to the
 * functions with each; messages and changes of the stream; schedules. No function changes, so that no canary is waited
 * for. Both values are written out, because CloudFormation leaves a property as it is that a template no longer names.
 * A frozen stage notifies nobody: its answers are 503, and its queues fill.
 */
export function setFrozen(scope: Construct, isFrozen: boolean): void {
  for (const each of scope.node.findAll()) {
    if (each instanceof CfnStage) each.stageVariables = { frozen: isFrozen ? "on" : "off" };
    if (each instanceof CfnEventSourceMapping) each.enabled = !isFrozen;
    if (each instanceof CfnSchedule) each.state = isFrozen ? "DISABLED" : "ENABLED";
    if (each instanceof CfnAlarm || each instanceof CfnCompositeAlarm) each.actionsEnabled = !isFrozen;
  }
}
