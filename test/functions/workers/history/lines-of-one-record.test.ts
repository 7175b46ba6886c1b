import { afterEach, expect, test } from "vitest";
import { historyOf } from "../../../../functions/workers/history-entries.ts";
import { handler as intake } from "../../../../functions/workers/intake.ts";
import { historyItems, toRecordedChange } from "../../../../shared/records/history.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { useHeldItems } from "../../../support/faults/held-items.ts";
import { invoiceLine, timesheetLine } from "../../../support/records/records.ts";
import { readItem, write } from "../../../support/records/writes.ts";
import { useService } from "../../../support/service/service.ts";
import { queueEvent } from "../../../support/workers/workers.ts";
import { runImport, streamOf } from "../../../tools/import/run-import.ts";

useService();
const held = useHeldItems();
afterEach(() => held.end());

const key = recordKey("INVOICE", 1);
const states = ["paid", "overdue", "pending"];
const others = Array.from({ length: 5 }, (_, at) => timesheetLine(1 + at, 1));

const works: Readonly<Record<string, () => Promise<unknown>>> = {
  "the messages of a call": () => {
    const lines = [...states.map((state) => ({ type: "invoice", id: 1, state })), ...others];
    const details = lines.map((line, at) => ({ ...line, version: at + 1, event_id: `e-${at}` }));
    return intake(
      queueEvent(...details.map((detail) => ({ "detail-type": "Record", source: "rota.example", detail }))),
    );
  },
  "the lines of an import": () =>
    runImport(streamOf(...states.map((state) => ({ type: "invoice", id: 1, state })), ...others)),
};

test.each(
  Object.keys(works),
)("D41: each of %s that are about one record has its entry in the history", async (name) => {
  await write(invoiceLine(1, 1, { version: null }));
  const images = [await readItem(key)];
  held.begin({
    leastMs: 0,
    mostMs: 0,
    rewrite: (asked) => {
      if (asked.Put?.Item?.pk === key.pk) images.push(asked.Put.Item);
      return asked;
    },
  });
  await works[name]?.();
  expect(images.at(-1)).toEqual(await readItem(key));
  const entries = images.slice(1).flatMap((after, at) => {
    const place = { eventId: `${at}`, key, createdAt: 1_778_414_400, sequence: `${at}` };
    return historyOf({ ...place, before: images[at], after }, 400).map((item) =>
      toRecordedChange(historyItems.decode(item)),
    );
  });
  const found = entries
    .filter(({ did }) => did === "updated")
    .map(({ before, after }) => [before?.state, after?.state]);
  expect(found).toEqual(states.map((state, at) => [["pending", ...states][at], state]));
});
