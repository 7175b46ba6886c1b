import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { enterEnvironment } from "../../../infra/local/local-aws.ts";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { withClient } from "../../../infra/runtime/aws/with-client.ts";
import { startEngine } from "../../../infra/runtime/engine/engine.ts";
import { createTable } from "../../../infra/runtime/engine/local-table.ts";
import { fillEvent, readEvent, sampleFile } from "../../../infra/tools/invoke/sample-event.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { tableClient } from "../../../shared/table/table.ts";
import { readTableDefinition } from "../../set-up/table-definition.ts";
import { publishTestKey, tokenOf } from "../../support/tokens/tokens.ts";
import { invoiceLines } from "../store/invoices.ts";
import { importLines } from "../store/load.ts";

const invoices = 300;
const state = "paid";
const hour = 3600;

/** A table with invoices, the settings of a function that reads it, and a request for one page of them. */
export interface InvoiceTable {
  readonly environment: Readonly<Record<string, string>>;
  readonly event: object;
  close(): Promise<void>;
}

/** Starts an engine with some hundred invoices and a key that the request's token is signed with. */
export async function openInvoiceTable(directory: string): Promise<InvoiceTable> {
  const { StreamSpecification: _, ...definition } = await readTableDefinition(directory);
  const engine = await startEngine();
  const environment = {
    PATH: process.env.PATH ?? "",
    AWS_REGION: "eu-west-2",
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    TABLE_NAME: "bench",
    OPERATION: listInvoices.name,
    BUSINESS_TIME_ZONE: "Europe/London",
    TOKEN_ISSUER: "workforce-test",
    TOKEN_AUDIENCE: "workforce-api",
  };
  enterEnvironment(environment);
  await withClient(new DynamoDBClient({}), (client) => createTable(client, definition, environment.TABLE_NAME));
  await importLines(invoiceLines(invoices, "by date"));
  await publishTestKey(tableClient(), environment.TABLE_NAME);
  return { environment, event: await requestEvent(), close: () => engine.close() };
}

async function requestEvent(): Promise<object> {
  const user = { id: 1, role: "admin", company_id: null } as const;
  const exp = Math.floor(Date.now() / 1000) + 12 * hour;
  const sample = fillEvent(readEvent(sampleFile(listInvoices.name)), { token: await tokenOf(user, { exp }) });
  return { ...(sample as object), rawQueryString: `by_state=${state}`, queryStringParameters: { by_state: state } };
}
