import { createHash } from "node:crypto";
import { type CfnStack, NestedStack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { FunctionRow } from "../../functions/function-row.ts";

/**
 * The nested stacks that endpoints are spread over. Never change it: a function's stack would be another one then, and
 * CloudFormation would make the function again while its name and its route are still taken.
 */
const endpointStacks = 10;

/** The nested stack of a function. It follows from the function's name alone: one that is added moves no other. */
export function functionStackOf(name: string, { area }: Pick<FunctionRow, "area">): string {
  if (area === "workers") return "Workers";
  const digest = createHash("sha256").update(name).digest();
  return `Endpoints${digest.readUInt32BE() % endpointStacks}`;
}

/** A nested stack of functions, each with all that belongs to it alone: a template has room for 500 resources. */
export class FunctionStack extends NestedStack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { description: `Workforce API, ${id}` });
    // Its name in AWS begins with the root's and this.
    (this.nestedStackResource as CfnStack).overrideLogicalId(id);
  }
}
