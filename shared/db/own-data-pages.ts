import { userKey } from "./accounts/users.ts";
import { historyPartition } from "./history/history-items.ts";
import { type OwnDataLine, ownDataLineOf } from "./own-data.ts";
import { keyOf } from "./table/keys.ts";
import { type Item, queryPage } from "./table/table.ts";

/** A page of a user's own data, and the place behind which the next begins; undefined after the last. */
export interface OwnDataPage {
  readonly lines: OwnDataLine[];
  readonly place: string | undefined;
}

/** How much of a user's own data a page has. */
export interface PageSize {
  /** Bytes of its lines as Lambda sends them: JSON within JSON. */
  readonly bytes: number;
  /** Reads of up to 1 MB. */
  readonly reads: number;
}

/** No more than the 4 MB that clients are promised, and well below the 6 MB that a function may answer. */
const usual: PageSize = { bytes: 4_000_000, reads: 5 };

/** The partitions of a user's own data, in the order of its lines. */
const partitions = [(userId: number) => userKey(userId).pk, (userId: number) => historyPartition("user", userId)];

/** Before every item: the number of the partition, and an order before all of its items, as DynamoDB takes no empty key. */
export const firstPlace = startOf(0);

/**
 * Access pattern OE3: a page of what is held in a user's partition and of their history, from behind a place on, after `first`. Half a
 * read unit for 4 KB, up to 640; up to 5 round trips.
 */
export async function readOwnData(
  userId: number,
  from: string,
  first: readonly OwnDataLine[] = [],
  { bytes, reads }: PageSize = usual,
): Promise<OwnDataPage> {
  const lines = [...first];
  let free = bytes - first.reduce((sum, line) => sum + sizeOf(line), 0);
  let place = from;
  for (let read = 0; read < reads; read += 1) {
    const { items, lastKey } = await readBehind(userId, place);
    for (const item of items) {
      const line = ownDataLineOf(item);
      free -= line ? sizeOf(line) : 0;
      if (free < 0 && lines.length > 0) return { lines, place };
      if (line) lines.push(line);
      place = `${place.slice(0, 1)}${keyOf(item).sk}`;
    }
    if (lastKey) continue;
    const next = Number.parseInt(place.slice(0, 1), 10) + 1;
    if (next === partitions.length) return { lines, place: undefined };
    place = startOf(next);
  }
  return { lines, place };
}

function startOf(partition: number): string {
  return `${partition} `;
}

function readBehind(userId: number, place: string) {
  const pk = partitions[Number.parseInt(place.slice(0, 1), 10)]?.(userId);
  return queryPage({
    KeyConditionExpression: "pk = :pk AND sk > :behind",
    ExpressionAttributeValues: { ":pk": pk, ":behind": place.slice(1) },
  });
}

function sizeOf(line: OwnDataLine): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(line)));
}

/** The lines of items that are a user's and not in the user's partition. */
export function ownDataLinesOf(items: readonly Item[]): OwnDataLine[] {
  return items.flatMap((item) => ownDataLineOf(item) ?? []);
}
