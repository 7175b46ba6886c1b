import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { settings } from "../../../shared/settings.ts";
import type { ServiceTarget } from "../service/open-service.ts";

/** A table, as far as it is no other one: a restored table of the same name has another id and another moment. */
export interface TableIdentity {
  /** Region, account and name. */
  readonly arn: string | undefined;
  readonly id: string | undefined;
  readonly createdAt: string | undefined;
  /** What answers for it: AWS, the host of another endpoint, or the folder of a local machine. */
  readonly at: string;
}

/**
 * Segments of a table that are read side by side; each page of one takes some MB of memory. The engine of a local machine loses
 * items of a segment where the one that a page goes on behind was removed, and reads one page after the other.
 */
const segments = { stage: 4, local: 1 } as const;

/** A table, and how many items it had some hours ago; undefined where that is not known. */
export interface DescribedTable {
  readonly identity: TableIdentity;
  /** Parts that are read side by side. */
  readonly segments: number;
  readonly items: number | undefined;
}

/** Asks which table the settings name, and for the time where it is: the SDK works with a clock that is hours wrong as well. */
export async function describeTable({ stage, directory }: ServiceTarget): Promise<DescribedTable & { now(): Date }> {
  const client = new DynamoDBClient({});
  let host = "";
  let aheadMs = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      const { hostname, port } = args.request as { hostname: string; port?: number };
      host = port === undefined ? hostname : `${hostname}:${port}`;
      const result = await next(args);
      const { headers } = result.response as { readonly headers: Readonly<Record<string, string>> };
      aheadMs = Date.now() - Date.parse(headers.date ?? new Date().toISOString());
      return result;
    },
    { step: "finalizeRequest", name: "noteHostAndTime" },
  );
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: settings.tableName() }));
    const at = stage === undefined ? directory : /\.amazonaws\.com(\.cn)?$/.test(host) ? "AWS" : host;
    const createdAt = Table?.CreationDateTime?.toISOString();
    const parts = stage === undefined ? segments.local : segments.stage;
    return {
      segments: parts,
      identity: { arn: Table?.TableArn, id: Table?.TableId, createdAt, at },
      items: Table?.ItemCount,
      now: () => new Date(Date.now() - aheadMs),
    };
  } finally {
    client.destroy();
  }
}
