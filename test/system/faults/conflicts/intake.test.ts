import { afterEach, expect, test } from "vitest";
import { handler } from "../../../../functions/workers/intake.ts";
import { recordKey } from "../../../../shared/db/table/item-keys.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { invoiceLine, jobLine } from "../../../support/records/records.ts";
import { readItem } from "../../../support/records/writes.ts";
import { useService } from "../../../support/service/service.ts";
import { queueEvent } from "../../../support/workers/workers.ts";

useService();
const held = useHeldItems();
afterEach(() => held.end());

/** Hands over record events in one call. Returns the number of messages that failed. */
async function take(details: readonly object[]): Promise<number> {
  const messages = details.map((detail) => ({ "detail-type": "Record", source: "rota.example", detail }));
  const { batchItemFailures } = await handler(queueEvent(...messages));
  return batchItemFailures.length;
}

test("D35: a call writes its ten messages in one transaction", async () => {
  held.begin();
  expect(
    await take(Array.from({ length: 10 }, (_, at) => ({ ...jobLine(at + 1, 1), version: 1, event_id: `${at}` }))),
  ).toBe(0);
  expect(held.figures.transactions).toBe(1);
});

test("D35: messages of one record are written one after the other, each by itself", async () => {
  const states = ["pending", "paid", "overdue", "pending", "paid"];
  const events = states.map((state, at) => ({
    ...invoiceLine(500, 1, { state }),
    version: at + 1,
    event_id: `v-${at}`,
  }));
  held.begin();
  expect(await take(events)).toBe(0);
  expect(held.figures).toMatchObject({ transactions: states.length, cancelled: 0 });
  expect(await readItem(recordKey("INVOICE", 500))).toMatchObject({
    version: states.length,
    record: { state: "paid" },
  });
});

test("D35: of versions in any order, handed out twice and side by side, the last one stays", async () => {
  const versions = [3, 1, 5, 2, 4];
  const events = versions.map((version) => ({
    ...jobLine(700, 1),
    version,
    event_id: `v-${version}`,
    title: `v${version}`,
  }));
  const failed = await Promise.all([...events, ...events.toReversed()].map((event) => take([event])));
  expect(failed).toEqual(failed.map(() => 0));
  expect(await readItem(recordKey("JOB", 700))).toMatchObject({ version: 5, record: { title: "v5" } });
});
