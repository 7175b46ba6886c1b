import { inParallel } from "../../batches.ts";
import { dueMark } from "../lists/list-keys.ts";
import { listWrites } from "../lists/list-writes.ts";
import { type ListedItem, listedItems, withFields } from "../lists/listed-items.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { keyOf } from "../table/item-keys.ts";
import { paces, retry } from "../table/retry.ts";
import { type Key, queryPages } from "../table/table.ts";
import { commitTogether } from "../writes/commit.ts";
import { replaceItem, type WriteContext } from "../writes/write-plans.ts";

const concurrency = 24;
const { mark_key: dueKey } = dueMark("", 0);

/**
 * Access pattern I3: turns every pending invoice that was due before a calendar date overdue, and gives their number (D20).
 * A changed invoice leaves the index: a run continues where the last one stopped, and parallel runs share the work. One
 * read unit and one write unit an invoice, and its way through the indexes. Refuses as `busy` when others keep changing one.
 */
export async function markOverdue(today: string, context: WriteContext): Promise<number> {
  const pages = queryPages({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :due AND mark_order < :today",
    ExpressionAttributeValues: { ":due": dueKey, ":today": today },
    Limit: maxBatchReads,
  });
  let marked = 0;
  for await (const page of pages) {
    marked += await markAll(page.map(keyOf), today, context);
  }
  return marked;
}

/** The index lags behind the table, so each invoice is read again; one that changes in the meantime, once more. */
async function markAll(keys: readonly Key[], today: string, context: WriteContext): Promise<number> {
  let open = [...keys];
  let marked = 0;
  return retry(paces.overdue, async () => {
    const items = await readBatch(open);
    const invoices = items.flatMap((item) => (item ? [listedItems.INVOICES.decode(item)] : []));
    const due = invoices.filter(({ record }) => record.state === "pending" && record.due_date < today);
    open = [];
    await inParallel(due, concurrency, async (invoice) => {
      if (await markUnlessChanged(invoice, context)) marked += 1;
      else open.push({ pk: invoice.pk, sk: invoice.sk });
    });
    return open.length === 0 ? marked : undefined;
  });
}

/** No user made the change: all users that it concerns are notified. */
async function markUnlessChanged(invoice: ListedItem<"INVOICES">, context: WriteContext): Promise<boolean> {
  const next = withFields("INVOICES", invoice, { state: "overdue" });
  const { writes, counts } = listWrites("INVOICES", invoice, next);
  const put = replaceItem(invoice, next, { ...context, notifies: true });
  const failed = await commitTogether([put, ...writes], counts);
  return failed.length === 0;
}
