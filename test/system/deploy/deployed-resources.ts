import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import { ListSecretsCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
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
async function countDeployed(StackName: string): Promise<number> {
  const client = new CloudFormationClient();
  let count = 0;
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType, PhysicalResourceId = "" } of StackResourceSummaries) {
      count += ResourceType === nestedStack ? await countDeployed(PhysicalResourceId) : 1;
    }
  }
  client.destroy();
  return count;
}

/** The names of the account's tables. */
export async function listTables(): Promise<string[]> {
  const client = new DynamoDBClient();
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  client.destroy();
  return TableNames.toSorted();
}

/** The names of the account's secrets. */
export async function listSecrets(): Promise<(string | undefined)[]> {
  const client = new SecretsManagerClient();
  const { SecretList = [] } = await client.send(new ListSecretsCommand());
  client.destroy();
  return SecretList.map(({ Name }) => Name).toSorted();
}

/** The names of the account's functions. */
export async function listFunctions(): Promise<string[]> {
  const client = new LambdaClient();
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    names.push(...Functions.map(({ FunctionName = "" }) => FunctionName));
  client.destroy();
  return names;
}
