import { createHash } from "node:crypto";
import { type CfnStack, NestedStack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { FunctionRow } from "../../functions/function-row.ts";
import type { CanaryReleases } from "./canary-releases.ts";

/**
 * The number of nested stacks for endpoints. Never change it: functions would move to other stacks, and CloudFormation
 * would create them there while their names and routes are still taken.
 */
const endpointStacks = 10;

/** The nested stack of a function. It depends on the function's name alone, so that a new function moves no other. */
export function functionStackOf(name: string, { area }: Pick<FunctionRow, "area">): string {
  if (area === "workers") return "Workers";
  const digest = createHash("sha256").update(name).digest();
  return `Endpoints${digest.readUInt32BE() % endpointStacks}`;
}

/**
 * Chains in which the nested stacks of endpoints are made, one after the other in each. All at once, their routes and
 * integrations exceed the ten operations a second of API Gateway's control plane.
 */
const chains = 3;

/** Makes each of some nested stacks of endpoints wait for the one before it in its chain. */
export function chainStacks(stacks: readonly FunctionStack[]): void {
  for (const [at, stack] of stacks.entries()) {
    const before = stacks[at - chains];
    if (before) stack.made.addResourceDependency(before.made);
  }
}

/** A nested stack of functions, each with everything that belongs to it alone. A template may have 500 resources. */
export class FunctionStack extends NestedStack {
  /** Releases its functions that have canaries. */
  releases: CanaryReleases | undefined;

  constructor(scope: Construct, id: string) {
    super(scope, id, { description: `Workforce API, ${id}` });
    // The stack's name in AWS is the root's name, this id and a suffix.
    this.made.overrideLogicalId(id);
  }

  get made(): CfnStack {
    return this.nestedStackResource as CfnStack;
  }
}
