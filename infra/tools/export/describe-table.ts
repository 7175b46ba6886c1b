import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { settings } from "../../../shared/run/settings.ts";
import { tableClient } from "../../../shared/table/table.ts";

/** The facts of a table that an export needs. */
export interface DescribedTable {
  /** The number of its items some hours ago; undefined if it is not known. */
  readonly items: number | undefined;
  /** The time by the table's clock. This machine's may be hours wrong; the SDK works all the same. */
  now(): Date;
}

/** Asks for the table that the settings name. */
export async function describeTable(): Promise<DescribedTable> {
  const command = new DescribeTableCommand({ TableName: settings.tableName() });
  let aheadMs = 0;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
      aheadMs = Date.now() - Date.parse(headers.date ?? new Date().toISOString());
      return result;
    },
    { step: "finalizeRequest", name: "noteTime" },
  );
  const { Table } = await tableClient().send(command);
  return { items: Table?.ItemCount, now: () => new Date(Date.now() - aheadMs) };
}
