import { expect, test } from "vitest";
import { searchableStarts } from "../../shared/domain/records/invoice-number.ts";

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
