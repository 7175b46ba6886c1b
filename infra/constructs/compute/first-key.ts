import { CfnResource, RemovalPolicy, Stack } from "aws-cdk-lib";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Trigger } from "aws-cdk-lib/triggers";
import type { Construct } from "constructs";
import type { ServiceFunction } from "./service-function.ts";

const triggerProvider = "AWSCDK.TriggerCustomResourceProviderCustomResourceProvider";

/**
 * Calls the function that replaces the signing keys once during the deploy, to create the first one. The deploy fails if the key
 * cannot be created. `stores` are what the function needs.
 */
export function createFirstKey(service: ServiceFunction, stores: readonly Construct[]): Construct {
  const { function: fn } = service;
  // The trigger calls the version that is being deployed, even if another is live.
  const firstKey = new Trigger(service, "FirstKey", { handler: fn });
  firstKey.node.addDependency(...stores, fn, ...(fn.role ? [fn.role] : []));
  setTriggerLogRetention(Stack.of(service));
  return firstKey;
}

/** Gives the CDK's own function behind a stack's triggers a log group that expires. Its default one never does. */
function setTriggerLogRetention(stack: Stack): void {
  const handler = stack.node.findChild(triggerProvider).node.findChild("Handler");
  if (!CfnResource.isCfnResource(handler)) throw new Error("The CDK makes the function behind its triggers otherwise");
  const logs = new LogGroup(stack, "TriggerLogs", {
    retention: RetentionDays.TWO_WEEKS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  handler.addPropertyOverride("LoggingConfig", { LogGroup: logs.logGroupName });
}
