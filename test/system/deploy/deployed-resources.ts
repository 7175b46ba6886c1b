import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { expect } from "vitest";
import { readWholeTemplate } from "../../../infra/whole-template.ts";
import { countResources } from "../../infra/stack.ts";

const nestedStack = "AWS::CloudFormation::Stack";

/** A deployed stack has as many resources as the templates in a folder that cdk wrote. */
export async function requireDeployed(stackName: string, output: string): Promise<void> {
  const { parts } = readWholeTemplate(output, `${stackName}.template.json`);
  expect(Object.keys(parts).length).toBeGreaterThan(2);
  expect(await countDeployed(stackName)).toBe(countResources(parts));
}

/** The number of resources of a deployed stack and its nested stacks, the nested stacks themselves not counted. */
async function countDeployed(stackName: string): Promise<number> {
  const client = new CloudFormationClient();
  try {
    return await countIn(client, stackName);
  } finally {
    client.destroy();
  }
}

async function countIn(client: CloudFormationClient, StackName: string): Promise<number> {
  let count = 0;
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType, PhysicalResourceId = "" } of StackResourceSummaries) {
      count += ResourceType === nestedStack ? await countIn(client, PhysicalResourceId) : 1;
    }
  }
  return count;
}
