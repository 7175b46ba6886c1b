import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { tableClient } from "../../../shared/db/table/table.ts";

/** The service's client of the table, for tests that read and write items by themselves. */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(tableClient(), { marshallOptions: { removeUndefinedValues: true } });
}
