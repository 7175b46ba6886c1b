import { RemovalPolicy } from "aws-cdk-lib";
import type { Stage } from "../../stages/stages.ts";

/** The properties of a secret: its fixed name, its fate when the stack is deleted, and the regions with a copy. */
export interface SecretProps extends Pick<Stage, "removal" | "replicaRegions"> {
  readonly name: string;
}

/** The name, fate and copies of a secret. A change of these leaves its value as it is. */
export function storedAs({ name, removal, replicaRegions = [] }: SecretProps) {
  return {
    secretName: name,
    removalPolicy: removalPolicyOf(removal),
    ...(replicaRegions.length > 0 && { replicaRegions: replicaRegions.map((region) => ({ region })) }),
  };
}

/** CloudFormation's policy for a store when the stack is destroyed or no longer names it. */
export function removalPolicyOf(removal: Stage["removal"]): RemovalPolicy {
  return removal === "keep" ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
