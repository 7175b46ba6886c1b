import { expect, test } from "vitest";
import {
  decodeCursor,
  encodeCursor,
  type PageStart,
  pageStart,
  placePage,
  readPage,
  totalBeside,
} from "../../shared/run/paging.ts";
import { refusalOf } from "../support/requests/refusals.ts";
import { anyText, fc } from "../support/service/properties.ts";

test("D30: a cursor leads back to its id in its own list, and nowhere in another", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.string(), fc.string(), (id, one, other) => {
      const cursor = encodeCursor(id, one);
      expect(decodeCursor(cursor, one)).toBe(id);
      if (one !== other) expect(decodeCursor(cursor, other)).toBeUndefined();
    }),
  );
});

test("D30: whatever text is no cursor is refused as cursor_invalid, naming the parameter", () => {
  fc.assert(
    fc.property(anyText({ minLength: 1 }), (cursor) => {
      const refusal = refusalOf(() => pageStart({ per_page: 20, cursor }, "list"));
      expect(refusal).toMatchObject({ code: "cursor_invalid", facts: { errors: [{ parameter: "cursor" }] } });
    }),
  );
});

test("D30: a cursor is not accepted in a second spelling", () => {
  const cursor = encodeCursor(12, "list");
  for (const spelling of [`${cursor}=`, `${cursor} `, cursor.replace(/^./, " $&"), `${cursor}A`]) {
    expect(decodeCursor(spelling, "list")).toBeUndefined();
  }
});

/** A list of so many items, and the starts that were read of it. */
function listOf(count: number) {
  const starts: PageStart[] = [];
  const read = (start: PageStart) => {
    starts.push(start);
    const items = Array.from({ length: count }, (_, at) => ({ id: count - at }));
    const end = start.skip + start.limit;
    return { items: items.slice(start.skip, end), total: count, hasMore: count > end };
  };
  return { starts, page: (page: number) => readPage({ name: "list-jobs" }, { page, per_page: 100 }, read) };
}

test("D30: pages reach 1,000 items deep by number; deeper ones with items are refused naming cursor", async () => {
  const { page, starts } = listOf(1_001);
  expect((await page(10)).items).toHaveLength(100);
  await expect(page(11)).rejects.toMatchObject({
    code: "page_too_deep",
    facts: { errors: [{ parameter: "page", code: "out_of_range" }] },
  });
  expect(starts.at(-1)).toEqual({ limit: 0, beforeId: undefined, skip: 0 });
});

test("D30: a page past the end is empty, with the total, however deep", async () => {
  for (const count of [0, 1, 999, 1_000]) {
    for (const number of [11, 2_000, Number.MAX_SAFE_INTEGER]) {
      expect(await listOf(count).page(number)).toMatchObject({ items: [], total: count });
    }
  }
});

test("D30: rows that are late or early never contradict the total of their page", () => {
  const start = { limit: 20, beforeId: undefined, skip: 20 };
  const totalOf = (rows: number, total: number, beforeId?: number) =>
    totalBeside(Array.from({ length: rows }), total, { ...start, beforeId });
  // The rows end on this page or before it: they are all there are.
  expect([totalOf(30, 29), totalOf(30, 31), totalOf(40, 60), totalOf(0, 5)]).toEqual([30, 30, 40, 0]);
  // More rows follow.
  expect([totalOf(41, 40), totalOf(41, 500)]).toEqual([41, 500]);
  // A cursor says nothing of the rows before it.
  expect([totalOf(3, 500, 9), totalOf(3, 2, 9)]).toEqual([500, 3]);
});

test("D30: the next cursor stands after the last item, and is absent on the last page", () => {
  const items = [{ id: 9 }, { id: 4 }];
  const { place } = placePage({ per_page: 2 }, "list", { items, total: 3, hasMore: true });
  expect(decodeCursor(place?.nextCursor ?? "", "list")).toBe(4);
  expect(placePage({ per_page: 2 }, "list", { items, total: 2, hasMore: false }).place?.nextCursor).toBeUndefined();
});
