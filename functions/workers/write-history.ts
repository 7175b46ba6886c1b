import { historyItems } from "../../shared/records/history.ts";
import { inParallel } from "../../shared/run/batches.ts";
import { settings } from "../../shared/run/settings.ts";
import type { StreamRecord } from "../../shared/table/entity.ts";
import { type Item, keyOf, putBatch, queryItems, queryPages } from "../../shared/table/table.ts";
import { historyOf, impersonal } from "./history-entries.ts";

/** Sorts after the order of every change. */
const afterAll = "~";
/** As many transactions as one process keeps under way. */
const usersAtOnce = 8;

/**
 * Empties the kept changes of users who were removed after these changes (HI9). It also empties changes that arrive
 * late, twice or at the same time: whichever write comes last sees the other. One read unit for each user with a kept
 * change.
 */
async function emptyRemoved(items: readonly Item[]): Promise<void> {
  const changes = items.filter((item) => historyItems.decode(item).record.type === "user");
  const byUser = Object.groupBy(changes.map(keyOf), ({ pk }) => pk);
  await inParallel(Object.entries(byUser), usersAtOnce, async ([pk, own = []]) => {
    const first = own.map(({ sk }) => sk).toSorted()[0];
    const removals = await queryItems({
      KeyConditionExpression: "pk = :pk AND sk >= :first",
      FilterExpression: "#record.did = :removed",
      ExpressionAttributeNames: { "#record": "record" },
      ExpressionAttributeValues: { ":pk": pk, ":first": first, ":removed": "removed" },
      ConsistentRead: true,
    });
    const last = removals.at(-1);
    if (last) await emptyHistory(pk, keyOf(last).sk);
  });
}

/**
 * Access pattern HI9: removes personal data from the history of a user, from all changes or from those below one. A
 * read unit for 4 KB of the history, up to 2 write units for each change that is emptied. A repetition writes nothing.
 */
export async function emptyHistory(pk: string, below = afterAll): Promise<void> {
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk AND sk < :below",
    ExpressionAttributeValues: { ":pk": pk, ":below": below },
    ConsistentRead: true,
  });
  for await (const page of pages) await putBatch(page.map(emptied).filter((item) => item !== undefined));
}

function emptied(item: Item): Item | undefined {
  const { record } = historyItems.decode(item);
  const { type, before, after } = record;
  const empty = (text: string) => JSON.stringify(impersonal(type, JSON.parse(text)));
  const next = { ...(before && { before: empty(before) }), ...(after && { after: empty(after) }) };
  return next.before === before && next.after === after ? undefined : { ...item, record: { ...record, ...next } };
}

/**
 * Access pattern HI1: stores the history of up to 100 changes of records and sessions. The result does not depend on
 * the consumer, the batches or repetitions. 1 write unit a change and as many for each of up to 3 indexes, twice that
 * above 1 KB; 1 read unit a user. Refuses with `busy` if the table leaves writes undone.
 */
export async function keepHistory(changes: readonly StreamRecord[]): Promise<void> {
  const keptDays = settings.historyDays();
  const items = changes.flatMap((change) => historyOf(change, keptDays));
  await putBatch(items);
  await emptyRemoved(items);
}
