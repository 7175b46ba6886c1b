import { expect, test } from "vitest";
import { searchableStarts } from "../../../shared/domain/records/invoice-number.ts";

function isFound(number: string, search: string): boolean {
  return searchableStarts(number).some((start) => start.startsWith(search.toLowerCase()));
}

test.each([
  ["INV-2025-00017", "inv"],
  ["INV-2025-00017", "INV-2025"],
  ["INV-2025-00017", "2025-000"],
  ["INV-2025-00017", "00017"],
  ["INV-2025-00017", "17"],
  ["ACME/0042", "42"],
  ["ACME/0042", "acme/"],
  ["Straße 7", "STRASSE".toLowerCase().replace("ss", "ß")],
])("D22: %s is found by %s", (number, search) => {
  expect(isFound(number, search)).toBe(true);
});

test.each([
  ["INV-2025-00017", "NV"],
  ["INV-2025-00017", "0017"],
  ["INV-2025-00017", "7"],
  ["INV-2025-00017", "025"],
  ["ACME/A042", "42"],
])("D22: %s is not found by %s, which starts within a part", (number, search) => {
  expect(isFound(number, search)).toBe(false);
});

test("D22: a number has at most 45 starts, those of its first parts", () => {
  for (const part of ["01-", "0a", "7-", "é0 "]) {
    const number = part.repeat(64).slice(0, 64);
    const starts = searchableStarts(number);
    expect(starts.length).toBeLessThanOrEqual(45);
    expect(starts[0]).toBe(number);
  }
  const parts = Array.from({ length: 60 }, (_, at) => `${at}`).join("-");
  expect(searchableStarts(parts)).toHaveLength(45);
  expect(searchableStarts(parts).at(-1)).toBe(parts.slice(parts.indexOf("44-45")));
});
