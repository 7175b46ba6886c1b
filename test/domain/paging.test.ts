import { expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "../../shared/domain/paging/cursor.ts";
import { pageStart, placePage } from "../../shared/domain/paging/paging.ts";
import { refusalOf } from "../support/requests/refusals.ts";
import { fc } from "../support/service/properties.ts";

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
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (cursor) => {
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

test("D30: pages reach 1,000 items deep by number; deeper ones are refused naming cursor", () => {
  expect(pageStart({ page: 10, per_page: 100 }, "list")).toEqual({ limit: 100, beforeId: undefined, skip: 900 });
  const refusal = refusalOf(() => pageStart({ page: 11, per_page: 100 }, "list"));
  expect(refusal).toMatchObject({ code: "page_too_deep", facts: { errors: [{ parameter: "cursor" }] } });
});

test("D30: the next cursor stands after the last item, and is absent on the last page", () => {
  const items = [{ id: 9 }, { id: 4 }];
  const { place } = placePage({ per_page: 2 }, "list", { items, origins: [], total: 3, hasMore: true });
  expect(decodeCursor(place?.nextCursor ?? "", "list")).toBe(4);
  expect(
    placePage({ per_page: 2 }, "list", { items, origins: [], total: 2, hasMore: false }).place?.nextCursor,
  ).toBeUndefined();
});
