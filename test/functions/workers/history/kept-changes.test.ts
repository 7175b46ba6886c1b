import { marshall } from "@aws-sdk/util-dynamodb";
import { expect, test } from "vitest";
import { historyOf } from "../../../../functions/workers/history-entries.ts";
import { historyItems, toRecordedChange } from "../../../../shared/records/history.ts";
import type { Change } from "../../../../shared/run/change.ts";
import type { Item } from "../../../../shared/table/table.ts";
import { recordKey } from "../../../../shared/table/table.ts";
import { anyText, fc } from "../../../support/service/properties.ts";

const key = recordKey("TIMESHEET", 17);
const change: Change = {
  id: "change-1",
  by: "user#7",
  operation: "bulk-update-timesheets",
  at: "2026-05-10T12:00:00.000Z",
};
const by = (revision: number, more: object = {}) => ({
  revision,
  change: { ...change, ...more },
});
const place = { eventId: "e", key, createdAt: 1_778_414_400, sequence: "42" };

const timesheet = (state: string, more: Item = {}): Item => ({
  ...key,
  id: 17,
  company_id: 1,
  record: { state, total: "1.00" },
  ...more,
});

const changeIn = (item: Item) => toRecordedChange(historyItems.decode(item));

function kept(before: Item | undefined, after: Item | undefined, removedBy?: Change) {
  const items = historyOf({ ...place, before, after, removedBy }, 400);
  const keys = items.map(({ all_key, company_key, month_key }) => ({ all_key, company_key, month_key }));
  return { changes: items.map(changeIn), keys, items };
}

const about = { type: "timesheet", id: 17, company_id: 1 };

test("D41: a change is kept with the fields that differ, its author, and its index keys, for as long as the stage says", () => {
  const { changes, keys, items } = kept(timesheet("pending", { revision: 5 }), timesheet("paid", by(6)));
  const fields = { before: { state: "pending" }, after: { state: "paid" } };
  expect(changes).toEqual([{ ...about, did: "updated", change, at: change.at, revision: 6, ...fields }]);
  expect(keys).toEqual([
    { all_key: "HISTORY#BY#user#7", company_key: "HISTORY#COMPANY#1", month_key: "HISTORY#CHANGE#change-1" },
  ]);
  for (const { expires_at } of items) expect(expires_at).toBe(place.createdAt + 400 * 86_400);
});

test("D41: what an import, another system or the service changes has no index key of who made it: nobody asks for it", () => {
  for (const author of ["import#run-1", "event#rota#7", "schedule#mark-overdue"]) {
    const { changes, keys } = kept(timesheet("pending", by(5)), timesheet("paid", by(6, { by: author })));
    expect(changes).toMatchObject([{ change: { by: author } }]);
    expect(keys).toEqual([{ company_key: "HISTORY#COMPANY#1", month_key: "HISTORY#CHANGE#change-1" }]);
  }
});

test("D41: a write that says nothing of itself is kept without an author", () => {
  const before = timesheet("pending", by(6));
  const { changes, keys } = kept(before, timesheet("paid", { revision: 7 }));
  expect(changes).toMatchObject([{ did: "updated", at: "2026-05-10T12:00:00.000Z", after: { state: "paid" } }]);
  expect(changes[0]).not.toHaveProperty("change");
  expect(keys).toEqual([{ company_key: "HISTORY#COMPANY#1" }]);
});

test("D41: a write that changes no field, one that raises no revision and a repeated image leave nothing", () => {
  expect(kept(timesheet("paid", by(6)), timesheet("paid", by(7))).items).toEqual([]);
  expect(kept(timesheet("paid", by(6)), timesheet("pending", by(6))).items).toEqual([]);
  expect(kept(undefined, undefined).items).toEqual([]);
});

test("D41: what an import makes is kept with the next change, whatever that is; what another makes, at once", () => {
  const made = by(6, { by: "import#r", creates: true });
  expect(kept(undefined, timesheet("pending", made)).items).toEqual([]);
  const { creates: _, ...began } = made.change as Change & { creates: boolean };
  const created = {
    ...about,
    did: "created",
    change: began,
    revision: 6,
    after: { company_id: 1, state: "pending", total: "1.00" },
  };
  const before = timesheet("pending", made);
  expect(kept(before, timesheet("pending", by(7)))).toMatchObject({ changes: [created], keys: [{}] });
  expect(kept(before, timesheet("paid", by(7))).changes).toMatchObject([created, { did: "updated", change }]);
  expect(kept(before, undefined, change).changes).toMatchObject([created, { did: "removed", change, revision: 7 }]);
  expect(kept(undefined, timesheet("pending", by(6, { creates: true }))).changes).toMatchObject([
    { did: "created", change },
  ]);
});

test("D2, D41: a way from one company to another is no company's: each would see the other's fields", () => {
  const { changes, keys } = kept(timesheet("paid", by(6)), timesheet("paid", { ...by(7), company_id: 2 }));
  expect(changes).toMatchObject([{ before: { company_id: 1 }, after: { company_id: 2 } }]);
  expect(changes[0]?.company_id).toBeUndefined();
  expect(keys.map(({ company_key }) => company_key)).toEqual([undefined]);
});

test("D41: of passwords and passcodes it is kept that they changed, and of a person who was removed no name and no login", () => {
  const user = recordKey("USER", 7);
  const record = { role: "operator", financial_company_id: 1, email: "a@example.com", first_name: "Ada" };
  const stored = (more: Item) => ({ ...user, id: 7, company_id: 1, role: "operator", record, ...more });
  const keptOf = (before: Item, after: Item | undefined) =>
    historyOf({ ...place, key: user, before, after, removedBy: change }, 400);
  const items = keptOf(
    stored({ ...by(6), reset_hash: "$secret" }),
    stored({ ...by(7), session_epoch: 1, passcode_changes: 1, reset_hash: "$other" }),
  );
  expect(items.slice(0, 1).map(changeIn)).toMatchObject([
    { type: "user", before: {}, after: { password: "changed", passcode: "changed" } },
  ]);
  expect(JSON.stringify(items)).not.toContain("$");
  const removed = keptOf(stored(by(6, { by: "import#r", creates: true })), undefined);
  expect(removed.map((item) => changeIn(item).did)).toEqual(["created", "removed"]);
  expect(JSON.stringify(removed)).not.toMatch(/Ada|example/);
  expect(JSON.stringify(removed)).toContain("operator");
});

test("D41: whatever a record holds, a change is at most two write units, in each index as well", () => {
  const text = anyText({ maxLength: 400 });
  const record = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.oneof(text, fc.array(text, { maxLength: 50 }), fc.double()),
    { maxKeys: 13 },
  );
  const source = fc.string({ unit: fc.constantFrom("a", "é"), maxLength: 228 });
  fc.assert(
    fc.property(record, record, source, (was, is, from) => {
      const event = by(7, { by: `event#${from}#${"e".repeat(200)}`, request: crypto.randomUUID() });
      const items = historyOf(
        {
          ...place,
          sequence: "9".repeat(40),
          before: timesheet("a", { record: was }),
          after: timesheet("b", { ...event, record: is }),
        },
        3_650,
      );
      for (const item of items) expect(bytesOf(item)).toBeLessThanOrEqual(2_048);
    }),
    { numRuns: 25 },
  );
  const big = { industries: "x".repeat(390_000) };
  const [item] = historyOf({ ...place, before: timesheet("a"), after: timesheet("b", { ...by(7), record: big }) }, 400);
  expect(item && changeIn(item).after).toEqual({
    industries: { cut: `"${"x".repeat(399)}`, sha256: expect.stringMatching(/^[\w-]{22}$/) },
  });
});

/** As DynamoDB counts: names and texts in UTF-8, a number by its digits. */
function bytesOf(item: Item): number {
  const size = (value: object): number => {
    const [[kind, inner] = []] = Object.entries(value);
    if (kind === "M")
      return (
        3 +
        Object.entries(inner).reduce((sum, [name, each]) => sum + 1 + Buffer.byteLength(name) + size(each as object), 0)
      );
    if (kind === "N") return Math.ceil(String(inner).length / 2) + 2;
    return kind === "S" ? Buffer.byteLength(inner) : 1;
  };
  return size({ M: marshall(item, { removeUndefinedValues: true }) });
}
