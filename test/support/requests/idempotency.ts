import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { type Item, tableClient } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";
import { documentClient } from "../records/document-client.ts";

/** Everything that is kept for the Idempotency-Keys of a user. */
export async function keptFor(userId: number): Promise<Item[]> {
  const scan = {
    TableName: settings.tableName(),
    ConsistentRead: true,
    FilterExpression: "begins_with(pk, :prefix)",
    ExpressionAttributeValues: { ":prefix": `IDEMPOTENCY#${userId}#` },
  };
  const items: Item[] = [];
  for await (const page of paginateScan({ client: documentClient() }, scan)) items.push(...(page.Items ?? []));
  return items;
}

/** The tokens that a piece of work gives its transactions, one for each try. */
export async function tokensOf(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const tokens: (string | undefined)[] = [];
  const name = `tokens-${crypto.randomUUID()}`;
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { ClientRequestToken } = args.input as { ClientRequestToken?: string };
        if (commandName === "TransactWriteItemsCommand") tokens.push(ClientRequestToken);
        return next(args);
      },
    { step: "initialize", name },
  );
  await work();
  tableClient().middlewareStack.remove(name);
  return tokens;
}
