import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CloudFormationClient, paginateListStackResources } from "@aws-sdk/client-cloudformation";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import { ListSecretsCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect } from "vitest";
import type { Template } from "../../../infra/support/stack-template.ts";

/** A deployed stack has the resources of the template in a folder that cdk wrote. */
export async function requireDeployed(StackName: string, output: string): Promise<void> {
  const { Resources } = JSON.parse(readFileSync(join(output, `${StackName}.template.json`), "utf8")) as Template;
  const client = new CloudFormationClient();
  const deployed: (string | undefined)[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    deployed.push(...StackResourceSummaries.map(({ LogicalResourceId }) => LogicalResourceId));
  client.destroy();
  expect(deployed.toSorted()).toEqual(Object.keys(Resources).toSorted());
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
