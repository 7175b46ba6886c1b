import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Item } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";
import { documentClient } from "./document-client.ts";

/** Updates an item as no module of the service would, and answers with the whole new item. */
export async function updateRaw(update: Omit<UpdateCommandInput, "TableName">): Promise<Item | undefined> {
  const command = new UpdateCommand({ TableName: settings.tableName(), ReturnValues: "ALL_NEW", ...update });
  return (await documentClient().send(command)).Attributes;
}
