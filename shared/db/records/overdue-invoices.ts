import { inParallel } from "../../batches.ts";
import { dueMark, listKeys } from "../lists/list-keys.ts";
import { type ListedItem, listedItems } from "../lists/listed-items.ts";
import { maxBatchReads, readBatch } from "../table/batch-reads.ts";
import { updateIf } from "../table/conditional-writes.ts";
import { keyOf } from "../table/keys.ts";
import { paces, retry } from "../table/retry.ts";
import { type Key, queryPages } from "../table/table.ts";

const concurrency = 24;
const { mark_key: dueKey } = dueMark("", 0);

/**
 * Access pattern I3: turns every pending invoice that was due before a calendar date overdue, and gives their number (D20).
 * A changed invoice leaves the index: a run continues where the last one stopped, and parallel runs share the work. One
 * read unit and one write unit an invoice, and its way through the indexes. Refuses as `busy` when others keep changing one.
 */
export async function markOverdue(today: string): Promise<number> {
  const pages = queryPages({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :due AND mark_order < :today",
    ExpressionAttributeValues: { ":due": dueKey, ":today": today },
    Limit: maxBatchReads,
  });
  let marked = 0;
  for await (const page of pages) {
    marked += await markAll(page.map(keyOf), today);
  }
  return marked;
}

/** The index lags behind the table, so each invoice is read again; one that changes in the meantime, once more. */
async function markAll(keys: readonly Key[], today: string): Promise<number> {
  let open = [...keys];
  let marked = 0;
  return retry(paces.overdue, async () => {
    const items = await readBatch(open);
    const invoices = items.flatMap((item) => (item ? [listedItems.INVOICES.decode(item)] : []));
    const due = invoices.filter(({ record }) => record.state === "pending" && record.due_date < today);
    open = [];
    await inParallel(due, concurrency, async (invoice) => {
      if (await markUnlessChanged(invoice)) marked += 1;
      else open.push({ pk: invoice.pk, sk: invoice.sk });
    });
    return open.length === 0 ? marked : undefined;
  });
}

/**
 * The index keys are made of company, state and dates, so the write is conditional on all of them. No user made the
 * change: all users that it concerns are notified.
 */
async function markUnlessChanged({ pk, sk, id, company_id, record }: ListedItem<"INVOICES">): Promise<boolean> {
  const { state, due_date, issued_date } = record;
  const where = { company_id, "record.state": state, "record.due_date": due_date, "record.issued_date": issued_date };
  const keys = listKeys("INVOICES", company_id, { ...record, id, state: "overdue" });
  const { all_key, company_key, month_key, company_month_key } = keys;
  const set = { "record.state": "overdue", all_key, company_key, month_key, company_month_key };
  const remove = ["mark_key", "mark_order", "silent"];
  const marked = await updateIf({ pk, sk }, { where, set, remove, add: { revision: 1 } });
  return marked !== undefined;
}
