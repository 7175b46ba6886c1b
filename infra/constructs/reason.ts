import type { CfnResource } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Gives a resource the reason for its figures, in the metadata of its template. */
export function withReason<Made extends Construct>(made: Made, reason: string): Made {
  (made.node.defaultChild as CfnResource).addMetadata("Reason", reason);
  return made;
}
