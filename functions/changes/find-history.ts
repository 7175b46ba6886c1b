import { hash } from "node:crypto";
import {
  type HistoryEntry,
  type HistoryQuestion,
  historyItems,
  indexKeys,
  placedKey,
  placeOf,
  type StoredHistory,
  toRecordedChange,
} from "../../shared/records/history.ts";
import type { Item } from "../../shared/table/table.ts";
import { epochSeconds, queryItems } from "../../shared/table/table.ts";

/** Which changes are asked for, the latest first. */
export interface HistoryStart {
  readonly limit: number;
  /** Goes on from a page, its `after`, or from one of its changes, its `place`. */
  readonly after?: string | undefined;
  readonly now: Date;
}

/** A change, its place in every list that has it, and a name that no other change has. */
export interface FoundEntry extends HistoryEntry {
  readonly place: string;
  readonly name: string;
}

/** Some changes, the latest first. */
export interface HistoryPage {
  readonly changes: readonly FoundEntry[];
  /** The key after which the next page begins; undefined after the last. A page may hold fewer than `limit`, or none, and others follow. */
  readonly after: string | undefined;
}

/** 132 bits: no two changes have one name. */
const nameLetters = 22;

/**
 * Access pattern HI2: the changes that answer a question, the latest first. Those of one second are in the order of the
 * stream, and always in the same. 0.5 read units for 4 KB, one round trip.
 */
export async function findHistory(
  question: HistoryQuestion,
  { limit, after, now }: HistoryStart,
): Promise<HistoryPage> {
  const { index, key, partition } = question;
  const query = {
    IndexName: index,
    KeyConditionExpression: "#key = :partition",
    ExpressionAttributeNames: { "#key": key },
    ExpressionAttributeValues: { ":partition": partition },
    ExclusiveStartKey: after === undefined ? undefined : startKey(question, after),
    ScanIndexForward: false,
  };
  const items = (await queryItems(query, limit + 1)).map(historyItems.decode);
  const page = items.slice(0, limit);
  const last = page.at(-1);
  // The table removes expired changes within days of their expiry.
  const live = page.filter(({ record }) => record.expires_at > epochSeconds(now));
  return { changes: live.map(toFound), after: last && items.length > limit ? placeOf(last) : undefined };
}

/** A condition on the order alone would pass over changes that share it. */
function startKey(question: HistoryQuestion, place: string): Item {
  const key = placedKey(place);
  return { ...key, ...indexKeys(question, key.sk) };
}

function toFound(item: StoredHistory): FoundEntry {
  const place = placeOf(item);
  const name = hash("sha256", place, "base64url").slice(0, nameLetters);
  return { ...toRecordedChange(item), place, name };
}
