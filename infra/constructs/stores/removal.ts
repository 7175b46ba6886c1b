import { RemovalPolicy } from "aws-cdk-lib";
import type { Stage } from "../../stages/stages.ts";

/** What a secret is made from: its fixed name, and what becomes of it with the stack. */
export interface SecretProps extends Pick<Stage, "removal"> {
  readonly name: string;
}

/** What CloudFormation does with a store when the stack is destroyed or no longer names it. */
export function removalPolicyOf(removal: Stage["removal"]): RemovalPolicy {
  return removal === "keep" ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
