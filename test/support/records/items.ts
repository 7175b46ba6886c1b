import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { keyOf, nameOf } from "../../../shared/db/table/keys.ts";
import { documentClient, type Item } from "../../../shared/db/table/table.ts";
import { settings } from "../../../shared/settings.ts";

/** Every item of the table, by the name of its key; without the names of their last writes, which are random. */
export async function scanItems(): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  let ExclusiveStartKey: Item | undefined;
  do {
    const command = new ScanCommand({ TableName: settings.tableName(), ConsistentRead: true, ExclusiveStartKey });
    const { Items = [], LastEvaluatedKey } = await documentClient().send(command);
    for (const item of Items) found.set(nameOf(keyOf(item)), contentOf(item));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found;
}

/** What an item holds: not the name of its last write. */
export function contentOf({ write_id: _, ...content }: Item): Item {
  return content;
}

const clause = "schema_version = if_not_exists(schema_version, :schema_version)";

/** Runs a piece of work whose items are stored as release 0.1 stored them: without a version. */
export async function asRelease01<T>(work: () => Promise<T>): Promise<T> {
  const name = `release-0.1-${crypto.randomUUID()}`;
  documentClient().middlewareStack.add((next) => (args) => next({ ...args, input: withoutVersions(args.input) }), {
    step: "initialize",
    priority: "high",
    name,
  });
  try {
    return await work();
  } finally {
    documentClient().middlewareStack.remove(name);
  }
}

interface WriteInput {
  readonly Item?: object;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeValues?: object;
  readonly TransactItems?: readonly { readonly Put?: WriteInput; readonly Update?: WriteInput }[];
}

// biome-ignore lint/suspicious/noExplicitAny: the input of any command
function withoutVersions(input: any): any {
  const { Item, UpdateExpression, ExpressionAttributeValues, TransactItems } = input as WriteInput;
  return {
    ...input,
    ...(Item && { Item: without("schema_version", Item) }),
    ...(UpdateExpression && {
      UpdateExpression: UpdateExpression.replace(`, ${clause}`, "")
        .replace(`${clause}, `, "")
        .replace(`SET ${clause}`, ""),
      ExpressionAttributeValues: without(":schema_version", ExpressionAttributeValues ?? {}),
    }),
    ...(TransactItems && {
      TransactItems: TransactItems.map(({ Put, Update, ...others }) => ({
        ...others,
        ...(Put && { Put: withoutVersions(Put) }),
        ...(Update && { Update: withoutVersions(Update) }),
      })),
    }),
  };
}

function without(name: string, fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
}
