import { afterEach, expect, test } from "vitest";
import { counterKey, countsBetween } from "../../../../shared/table/counters.ts";
import { commitOnce } from "../../../../shared/table/plans.ts";
import { readBatch } from "../../../../shared/table/reads.ts";
import { retryConflicts } from "../../../../shared/table/retry.ts";
import type { Key } from "../../../../shared/table/table.ts";
import { queryItems } from "../../../../shared/table/table.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { losses, useNetwork } from "../../../support/faults/network.ts";
import { usualFreshOrFull } from "../../../support/service/fresh-counts.ts";
import { useService } from "../../../support/service/service.ts";

const atOnce = 12;
/** As long as it takes: how many are made must not depend on time. */
const patient = { firstPauseMs: 25, longestPauseMs: 200 };
/** The first transaction is lost, and one in so many after it. */
const every = usualFreshOrFull(atOnce, 7, 1);

process.env.CALL_PATIENCE = "1";
useService();
const network = useNetwork();
const held = useHeldItems();
afterEach(() => {
  held.end();
  network.heal();
});

let company = 0;

/** Makes records of a company at once; gives how many there are then, and how many its counter says there are. */
async function makeAtOnce(): Promise<{ made: number; counted: number }> {
  const keys = Array.from({ length: atOnce }, (_, at) => ({ pk: `TEST#${company}#${at}`, sk: "TEST" }));
  const place = { companyId: company, id: 1, state: "pending", date: null, number: null };
  const counts = countsBetween("TIMESHEETS", null, place);
  const put = (Item: object) => ({ Put: { Item: { ...Item }, ConditionExpression: "attribute_not_exists(pk)" } });
  const make = (key: Key) =>
    retryConflicts((count, leftMs) => commitOnce([put(key)], counts, { count, leftMs }), patient);
  await Promise.allSettled(keys.map(make));
  held.end();
  network.heal();
  const made = (await readBatch(keys)).filter((item) => item !== undefined).length;
  const { pk } = counterKey({ list: "TIMESHEETS", companyId: company, month: "ALL" }, 0);
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk }, ConsistentRead: true };
  const parts = await queryItems(query);
  return { made, counted: parts.reduce((sum, { pending }) => sum + Number(pending ?? 0), 0) };
}

test.each(
  losses,
)("records and their counter agree, whichever transaction's answer is lost among conflicts: %s", async (loss) => {
  for (let n = 1; n <= atOnce; n += every) {
    company += 1;
    held.begin({ seed: n });
    network.lose(n, loss);
    const { made, counted } = await makeAtOnce();
    expect({ n, counted }).toEqual({ n, counted: made });
    expect(made).toBeGreaterThanOrEqual(atOnce - 1);
    expect(held.figures.cancelled).toBeGreaterThan(0);
  }
}, 60_000);
