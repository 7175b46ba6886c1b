import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { DescribeStreamCommand, DynamoDBStreamsClient, type Shard } from "@aws-sdk/client-dynamodb-streams";
import { callLimits, limitedBy } from "../../call-limits.ts";
import { settings } from "../../settings.ts";
import { documentClient } from "./table.ts";

let client: DynamoDBStreamsClient | undefined;

/** The client of this environment, made when first asked for. */
function streamsClient(): DynamoDBStreamsClient {
  client ??= new DynamoDBStreamsClient(limitedBy(callLimits.table));
  return client;
}

/**
 * The number of shards of the table's stream that none follows yet, which take the changes, one for each partition of the table:
 * 4 in a new one. One call a hundred shards, those of the last day included, after one for the stream's name. No read units.
 */
export async function countOpenShards(): Promise<number> {
  const { Table } = await documentClient().send(new DescribeTableCommand({ TableName: settings.tableName() }));
  const StreamArn = Table?.LatestStreamArn;
  if (StreamArn === undefined) throw new Error("The table has no stream");
  const shards: Shard[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const { StreamDescription } = await streamsClient().send(
      new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId }),
    );
    shards.push(...(StreamDescription?.Shards ?? []));
    ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  const parents = new Set(shards.map(({ ParentShardId }) => ParentShardId));
  return shards.filter(({ ShardId }) => !parents.has(ShardId)).length;
}
