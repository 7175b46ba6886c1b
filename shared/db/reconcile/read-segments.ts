import { retryRaces } from "../table/conflicts.ts";
import { type Item, scanPage } from "../table/table.ts";
import { isThrottled } from "../table/transient-errors.ts";

/** Parts of the table that are read at once: a page spends most of its time in DynamoDB and on the way. */
export const segments = 8;
/** Users come first: what the table refuses is read again after a pause, for some minutes. */
const pace = { races: 60, firstPauseMs: 50, longestPauseMs: 5_000 };

type Scan = Parameters<typeof scanPage>[0];

/**
 * The items of the whole table whose partition keys begin so, in parts that are to be read at once; the items of a partition
 * come together. The filter saves no read units, only the transfer of the rest.
 */
export function readSegments(prefixes: readonly string[], ConsistentRead: boolean): AsyncGenerator<Item[]>[] {
  const filter = {
    FilterExpression: prefixes.map((_, at) => `begins_with(pk, :prefix${at})`).join(" OR "),
    ExpressionAttributeValues: Object.fromEntries(prefixes.map((prefix, at) => [`:prefix${at}`, prefix])),
  };
  return Array.from({ length: segments }, (_, Segment) =>
    readPartitions({ ConsistentRead, Segment, TotalSegments: segments, ...filter }),
  );
}

async function* readPartitions(scan: Scan): AsyncGenerator<Item[]> {
  let collected: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const { items, lastKey } = await scanUnthrottled({ ...scan, ExclusiveStartKey });
    for (const item of items) {
      if (collected.length > 0 && collected[0]?.pk !== item.pk) {
        yield collected;
        collected = [];
      }
      collected.push(item);
    }
    ExclusiveStartKey = lastKey;
  } while (ExclusiveStartKey);
  if (collected.length > 0) yield collected;
}

function scanUnthrottled(scan: Scan) {
  return retryRaces(async () => {
    try {
      return await scanPage(scan);
    } catch (error) {
      if (!isThrottled(error)) throw error;
      return undefined;
    }
  }, pace);
}
