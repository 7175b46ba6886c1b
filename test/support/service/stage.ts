import { DeleteTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, inject } from "vitest";
import { startAwsEndpoints } from "../../../infra/runtime/aws/aws-endpoints.ts";
import { openEventBuses } from "../../../infra/runtime/aws/event-buses.ts";
import { openInbox } from "../../../infra/runtime/aws/inbox.ts";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { openSecrets } from "../../../infra/runtime/aws/secrets-manager.ts";
import { createTable } from "../../../infra/runtime/engine/local-table.ts";
import { startHttpService } from "../../../infra/runtime/http-service.ts";
import { namesOf, tableNameOf } from "../../../infra/stages/names.ts";
import { makeSigningKey, type SigningKey } from "../../../shared/tokens/keys.ts";
import { newFolder } from "./new-folder.ts";

/** A fake of an AWS account in which a stage is deployed. */
export interface DeployedStage {
  /** The environment of a user of that account. */
  readonly environment: Record<string, string>;
  /** A client of the account's tables. */
  readonly database: DynamoDBDocumentClient;
  /** The key that access tokens are signed with there. */
  readonly signingKey: SigningKey;
}

/** The owner of that user's credentials. */
export const callerArn = "arn:aws:iam::000000000000:user/ada";

const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${callerArn}</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`;

/** Gives a test file an account with the table and the secrets of a stage, under their fixed names. */
export function useDeployedStage(stageName: string): DeployedStage {
  const stage = {} as DeployedStage;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const names = namesOf(stageName);
    const TableName = tableNameOf({ name: stageName });
    const region = "eu-west-1";
    const signingKey = await makeSigningKey(new Date(0));
    const secrets = openSecrets();
    secrets.ensure(names.hmacSecret, () => JSON.stringify({ version: 1, key: "k".repeat(64) }));
    secrets.ensure(names.signingSecret, () => JSON.stringify({ keys: [signingKey] }));
    const endpoints = await startAwsEndpoints({ inbox: openInbox(), secrets, buses: openEventBuses(region) });
    closing.push(endpoints.close);
    const sts = await startHttpService((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/xml" }).end(identity);
    });
    closing.push(sts.close);
    const endpoint = inject("engineEndpoint");
    const client = new DynamoDBClient({ endpoint, region, credentials: localCredentials });
    await createTable(client, inject("tableDefinition"), TableName);
    closing.push(async () => {
      await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
    });
    const environment = {
      // Without profiles of whoever runs the tests.
      HOME: newFolder(),
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_ENDPOINT_URL: endpoints.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${sts.port}`,
    };
    Object.assign(stage, { environment, database: DynamoDBDocumentClient.from(client), signingKey });
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });
  return stage;
}
