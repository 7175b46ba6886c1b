import { calendarDateIn, msUntilSettled } from "../../shared/records/business-day.ts";
import { dueMark, type ListedItem, listedItems, withFields } from "../../shared/records/items.ts";
import { listWrites } from "../../shared/records/totals.ts";
import { sleep } from "../../shared/run/backoff.ts";
import { settings } from "../../shared/run/settings.ts";
import { userParts } from "../../shared/table/counters.ts";
import { changePlace, type Outcome, replaceItem, type WriteContext, type WritePlan } from "../../shared/table/plans.ts";
import { isTombstone, type Key, keyOf, queryPages } from "../../shared/table/table.ts";
import { createWriteBatches } from "../../shared/table/write-batches.ts";
import { forSchedule } from "../../shared/worker.ts";

/** Enough that a transaction finds many invoices of few companies. */
const invoicesAtOnce = 1_000;

const { mark_key: dueKey } = dueMark("", 0);

/**
 * Marks pending invoices as overdue if their due date has passed in the business's time zone (D20). About midnight it
 * waits, because an import whose clock is behind may still store what was due the day before as pending.
 */
export const handler = forSchedule(async (context) => {
  const timeZone = settings.businessTimeZone();
  const waitMs = msUntilSettled(timeZone, context.now);
  await sleep(waitMs);
  await markOverdue(calendarDateIn(timeZone, new Date(context.now.getTime() + waitMs)), context);
});

/**
 * Access pattern I3: turns every pending invoice that was due before a calendar date overdue, and gives their number (D20).
 * A changed invoice leaves the index: a run continues where the last one stopped, and parallel runs share the work. One
 * read unit an invoice; two write units, and its part of the counters of its company and month. An invoice that cannot be
 * written keeps none from the others; once they are, the run fails with its error, which is `busy` if others keep
 * changing it.
 */
export async function markOverdue(today: string, context: WriteContext): Promise<number> {
  const pages = queryPages({
    IndexName: "by-mark",
    KeyConditionExpression: "mark_key = :due AND mark_order < :today",
    ExpressionAttributeValues: { ":due": dueKey, ":today": today },
    Limit: invoicesAtOnce,
  });
  // No user made the change: all users that it concerns are notified.
  const writing = { ...context, notifies: true, commit: createWriteBatches(userParts) };
  const failures: unknown[] = [];
  let marked = 0;
  for await (const page of pages) {
    const ends = await Promise.allSettled(page.map((item) => markIfDue(keyOf(item), today, writing)));
    for (const end of ends) {
      if (end.status === "rejected") failures.push(end.reason);
      else if (end.value === "updated") marked += 1;
    }
  }
  if (failures.length > 0) throw failures[0];
  return marked;
}

/** The index lags behind the table, so the invoice is read again. */
function markIfDue(key: Key, today: string, context: WriteContext): Promise<Outcome> {
  return changePlace(key, context, (found) => {
    const invoice = found && !isTombstone(found) ? listedItems.INVOICES.decode(found) : undefined;
    const isDue = invoice?.record.state === "pending" && invoice.record.due_date < today;
    return isDue ? becomingOverdue(invoice, context) : { outcome: "unchanged" };
  });
}

function becomingOverdue(invoice: ListedItem<"INVOICES">, context: WriteContext): WritePlan {
  const next = withFields("INVOICES", invoice, { state: "overdue" });
  const { writes, counts } = listWrites("INVOICES", invoice, next);
  return { outcome: "updated", writes: [replaceItem(invoice, next, context), ...writes], counts };
}
