import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, inject } from "vitest";
import { queues as queueRows } from "../../../infra/functions/queues.ts";
import { type AwsEndpoints, startAwsEndpoints } from "../../../infra/runtime/aws/aws-endpoints.ts";
import { type EventBuses, openEventBuses } from "../../../infra/runtime/aws/event-buses.ts";
import { type LocalInbox, openInbox } from "../../../infra/runtime/aws/inbox.ts";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { openSecrets } from "../../../infra/runtime/aws/secrets-manager.ts";
import { type Queues, queueUrl, startQueues } from "../../../infra/runtime/aws/sqs.ts";
import { createTable } from "../../../infra/runtime/engine/local-table.ts";
import { readStageSettings } from "../../../infra/stages/stage-settings.ts";
import { findStage } from "../../../infra/stages/stages.ts";
import { queueNames, queueSetting } from "../../../shared/run/settings.ts";
import { publishTestKey } from "../tokens/tokens.ts";

const region = "eu-west-1";
const hmacSecret = "hmac-key";
const signingSecret = "signing-keys";
const quarantineQueue = "quarantine";
const outboundBus = "outbound";

const { platformApplications } = findStage("local");

/** The service of a test file: a table, an inbox, and the AWS endpoints behind them. */
export interface Service {
  inbox: LocalInbox;
  endpoints: AwsEndpoints;
  queues: Queues;
  buses: EventBuses;
  /** A client of the file's table that the service does not know of. */
  database: DynamoDBDocumentClient;
  tableName: string;
}

/** Gives a test file a table, queues, secrets and an inbox of its own, and points the service's settings at them. */
export function useService(): Service {
  const service = {} as Service;
  beforeAll(async () => Object.assign(service, await startService()));
  afterAll(async () => {
    await service.endpoints?.close();
    await service.queues?.close();
    service.database?.destroy();
  });
  return service;
}

async function startService(): Promise<Service> {
  const inbox = openInbox();
  const secrets = openSecrets();
  secrets.ensure(hmacSecret, () => JSON.stringify({ version: 1, key: "k".repeat(64) }));
  const buses = openEventBuses(region);
  buses.open([outboundBus], [], async () => {});
  const endpoints = await startAwsEndpoints({ inbox, secrets, buses });
  secrets.ensure(signingSecret, () => JSON.stringify({ keys: [] }));
  const queues = await startQueues(region);
  const names = [...queueNames, quarantineQueue];
  await queues.create(names.map((name) => ({ name, attributes: {} })));
  const tableName = `test-${crypto.randomUUID()}`;
  Object.assign(process.env, settingsOf(tableName, endpoints.endpoint, queues.endpoint));
  const client = new DynamoDBClient({});
  // Tests hand workers the changes themselves; to write a stream as well takes a fifth of the engine's time.
  await createTable(client, { ...inject("tableDefinition"), StreamSpecification: undefined }, tableName);
  const database = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  await publishTestKey(database, tableName);
  return { inbox, endpoints, queues, buses, database, tableName };
}

/** Has a test file's service send events for other systems, which the queue `EVENT_QUEUE_URL` takes. Call it after `useService`. */
export function useEventQueue(): void {
  beforeAll(() => {
    process.env.EVENT_QUEUE_URL = queueUrl(process.env.AWS_ENDPOINT_URL_SQS ?? "", "events");
  });
  afterAll(() => void delete process.env.EVENT_QUEUE_URL);
}

/** The addresses of the queues that every stage has. */
function queueUrlsOf(endpoint: string): Record<string, string> {
  const usual = queueNames.filter((name) => queueRows[name].onlyIf === undefined);
  return Object.fromEntries(usual.map((name) => [queueSetting(name), queueUrl(endpoint, name)]));
}

function settingsOf(tableName: string, endpoint: string, queueEndpoint: string): Record<string, string> {
  return {
    ...readStageSettings(findStage("local")),
    AWS_REGION: region,
    // DynamoDB Local keeps a database for each access key, of letters and digits.
    AWS_ACCESS_KEY_ID: tableName.replaceAll("-", ""),
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: inject("engineEndpoint"),
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: inject("engineEndpoint"),
    AWS_ENDPOINT_URL_SES: endpoint,
    AWS_ENDPOINT_URL_SNS: endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    AWS_ENDPOINT_URL_SQS: queueEndpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoint,
    OPERATION: "test",
    CALL_PATIENCE: process.env.CALL_PATIENCE ?? "100",
    TABLE_NAME: tableName,
    TOKEN_ISSUER: "workforce-test",
    TOKEN_AUDIENCE: "workforce-api",
    HMAC_SECRET_ARN: hmacSecret,
    SIGNING_SECRET_ARN: signingSecret,
    ...queueUrlsOf(queueEndpoint),
    QUARANTINE_QUEUE_URL: queueUrl(queueEndpoint, quarantineQueue),
    EVENT_SOURCE: "urn:workforce:test",
    OUTBOUND_BUS_NAME: outboundBus,
    PLATFORM_APPLICATIONS: JSON.stringify({ fcm: platformApplications?.fcm }),
    SMS_CEILINGS: '{"perDay":500}',
    MAIL_CEILINGS: '{"perDay":5000}',
    SENDER_ADDRESS: "no-reply@workforce.example",
    CONFIGURATION_SET: "workforce-test-emails",
    SERVED_COUNTRIES: '["GB","IE"]',
  };
}
