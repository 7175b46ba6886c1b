import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";

const nestedStack = "AWS::CloudFormation::Stack";

/** How many resources a deployed stack and its nested stacks have, the nested stacks themselves not counted. */
export async function countDeployed(stackName: string): Promise<number> {
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
