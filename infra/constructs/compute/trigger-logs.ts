import { CfnResource, RemovalPolicy, type Stack } from "aws-cdk-lib";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";

const provider = "AWSCDK.TriggerCustomResourceProviderCustomResourceProvider";

/** Gives the CDK's own function behind a stack's triggers a log group that expires; of itself it has one that never does. */
export function setTriggerLogRetention(stack: Stack): void {
  const handler = stack.node.findChild(provider).node.findChild("Handler");
  if (!CfnResource.isCfnResource(handler)) throw new Error("The CDK makes the function behind its triggers otherwise");
  const logs = new LogGroup(stack, "TriggerLogs", {
    retention: RetentionDays.TWO_WEEKS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  handler.addPropertyOverride("LoggingConfig", { LogGroup: logs.logGroupName });
}
