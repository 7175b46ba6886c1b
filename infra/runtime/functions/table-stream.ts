import { isDeepStrictEqual } from "node:util";
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
  type _Record as StreamRecord,
} from "@aws-sdk/client-dynamodb-streams";

/** A place in a stream: after a record of a shard, or at the shard's beginning. */
export interface StreamPosition {
  shardId: string;
  after?: string;
}

/** The records that follow a place, and the place after them. Without any shard yet, the place is undefined. */
export interface StreamPage {
  records: StreamRecord[];
  place: StreamPosition | undefined;
  /** When the engine was asked, by `performance.now()`. Everything written before is in this page or an earlier one. */
  askedAt: number;
}

/** The stream of a table, readable from any place. */
export interface TableStream {
  /** The engine's name for the stream. It changes if the table is created again. */
  arn: string;
  /** The page after a place, or the oldest records; readers at the same place share one call. */
  read(place: StreamPosition | undefined): Promise<StreamPage>;
}

const recordsInPage = 500;
const goneNames = ["ResourceNotFoundException", "TrimmedDataAccessException"];

/** Opens the stream of a table on a local engine. Throws if the table has no stream. */
export async function openTableStream(client: DynamoDBStreamsClient, tableName: string): Promise<TableStream> {
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName: tableName }));
  const arn = Streams[0]?.StreamArn;
  if (arn === undefined) throw new Error(`The table ${tableName} has no stream.`);
  const iterators = new Map<string, string>();
  const reading = new Map<string, Promise<StreamPage>>();

  const readOnce = async (place: StreamPosition | undefined): Promise<StreamPage> => {
    const askedAt = performance.now();
    const from = place ?? beginningOf(await findShards(client, arn));
    if (!from) return { records: [], place: undefined, askedAt };
    const ShardIterator = takeFrom(iterators, keyOf(from)) ?? (await findIterator(client, arn, from));
    const { Records = [], NextShardIterator } = await client.send(
      new GetRecordsCommand({ ShardIterator, Limit: recordsInPage }),
    );
    const after = Records.at(-1)?.dynamodb?.SequenceNumber ?? from.after;
    const next = { shardId: from.shardId, ...(after !== undefined && { after }) };
    if (NextShardIterator) iterators.set(keyOf(next), NextShardIterator);
    const isOver = !NextShardIterator && Records.length === 0;
    const child = isOver ? findPlace(await findShards(client, arn), (parent) => parent === from.shardId) : undefined;
    return { records: Records.filter(isChange), place: child ?? next, askedAt };
  };

  return {
    arn,
    read(place) {
      const key = keyOf(place);
      const shared = reading.get(key);
      if (shared) return shared;
      const page = readOnce(place)
        .catch((error) => {
          if (error.name === "ExpiredIteratorException") return readOnce(place);
          // Starts at the oldest record if the engine no longer has the place.
          if (place && goneNames.includes(error.name)) return readOnce(undefined);
          throw error;
        })
        .finally(() => reading.delete(key));
      reading.set(key, page);
      return page;
    },
  };
}

async function findShards(client: DynamoDBStreamsClient, StreamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId }));
    shards.push(...(StreamDescription?.Shards ?? []));
    ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
  } while (ExclusiveStartShardId);
  return shards;
}

async function findIterator(client: DynamoDBStreamsClient, StreamArn: string, place: StreamPosition): Promise<string> {
  const { shardId: ShardId, after: SequenceNumber } = place;
  const ShardIteratorType = SequenceNumber === undefined ? "TRIM_HORIZON" : "AFTER_SEQUENCE_NUMBER";
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType, SequenceNumber }),
  );
  if (!ShardIterator) throw new Error(`The engine gave no iterator of the shard ${ShardId}.`);
  return ShardIterator;
}

/** The oldest shard is the one whose parent is gone. */
function beginningOf(shards: Shard[]): StreamPosition | undefined {
  const ids = new Set(shards.map(({ ShardId }) => ShardId));
  return findPlace(shards, (parent) => parent === undefined || !ids.has(parent));
}

function findPlace(shards: Shard[], isWanted: (parent: string | undefined) => boolean): StreamPosition | undefined {
  const shardId = shards.find(({ ParentShardId }) => isWanted(ParentShardId))?.ShardId;
  return shardId === undefined ? undefined : { shardId };
}

/** DynamoDB leaves out writes that change nothing; dynoxide does not. */
function isChange({ eventName, dynamodb }: StreamRecord): boolean {
  return eventName !== "MODIFY" || !isDeepStrictEqual(dynamodb?.NewImage, dynamodb?.OldImage);
}

function keyOf(place: StreamPosition | undefined): string {
  return place ? `${place.shardId} ${place.after}` : "";
}

function takeFrom<T>(map: Map<string, T>, key: string): T | undefined {
  const value = map.get(key);
  map.delete(key);
  return value;
}
