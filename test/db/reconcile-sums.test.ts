import fc from "fast-check";
import { expect, test } from "vitest";
import { addAll, addRevision, addTo, createSums, differing } from "../../shared/db/reconcile/sums.ts";

const key = fc.integer({ min: 0, max: 50 }).map((id) => ({ pk: `TOTALS#INVOICES#${id}`, sk: "ALL" }));
const change = fc.record({
  key,
  thing: fc.constantFrom("pending", "paid", "05paid"),
  times: fc.integer({ min: -9, max: 9 }),
});

test("what is read in any order and in any parts has the same sums", () => {
  fc.assert(
    fc.property(fc.array(change), fc.integer({ min: 1, max: 5 }), (changes, parts) => {
      const whole = createSums();
      for (const { key, thing, times } of changes) addTo(whole, key, thing, times);
      const merged = createSums();
      for (let part = 0; part < parts; part += 1) {
        const own = createSums();
        const ofPart = changes.filter((_, at) => at % parts === part).toReversed();
        for (const { key, thing, times } of ofPart) addTo(own, key, thing, times);
        addAll(merged, own);
      }
      expect(merged).toEqual(whole);
    }),
    { numRuns: 20 },
  );
});

test("sums are zero where each figure is stored as it is counted, and differ where one is not", () => {
  fc.assert(
    fc.property(fc.array(change), change, fc.integer({ min: 1, max: 2 ** 31 }), (changes, wrong, by) => {
      const sums = createSums();
      for (const { key, thing, times } of changes) {
        for (let each = 0; each < Math.abs(times); each += 1) addTo(sums, key, thing, Math.sign(times));
        addTo(sums, key, thing, -times);
      }
      expect(differing(sums)).toEqual([]);
      addTo(sums, wrong.key, wrong.thing, by);
      expect(differing(sums)).toHaveLength(1);
    }),
    { numRuns: 20 },
  );
});

test("what differs as before is no longer the same once its item was written", () => {
  const place = { pk: "TOTALS#INVOICES#1", sk: "ALL" };
  const pass = (revision: number) => {
    const sums = createSums();
    addTo(sums, place, "paid", 1);
    addRevision(sums, place, revision);
    return sums;
  };
  expect(differing(pass(1), pass(1))).toHaveLength(1);
  expect(differing(pass(2), pass(1))).toEqual([]);
});
