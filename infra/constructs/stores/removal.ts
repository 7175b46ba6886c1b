import { RemovalPolicy } from "aws-cdk-lib";
import type { Stage } from "../../stages/stage-shape.ts";

/** CloudFormation's policy for a store when the stack is destroyed or no longer names it. */
export function removalPolicyOf(removal: Stage["removal"]): RemovalPolicy {
  return removal === "keep" ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
