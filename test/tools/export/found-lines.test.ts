import { expect, test } from "vitest";
import { type Finding, openFoundLines } from "../../../infra/tools/export/found-lines.ts";

const findings: readonly Finding[] = [
  { type: "notification", id: 2, userId: 9, lines: "2 of 9" },
  { type: "notification", id: 10, userId: 4, lines: "10 of 4" },
  { type: "job", id: 1, userId: 0, lines: "job" },
  { type: "notification", id: 2, userId: 10, lines: "2 of 10" },
];

test("lines come by id and then by user as numbers, those of the given users alone, as often as asked; none once closed", () => {
  const found = openFoundLines();
  for (const each of findings) found.add(each);
  expect([...found.linesOf("notification")]).toEqual(["2 of 9", "2 of 10", "10 of 4"]);
  found.add({ type: "notification", id: 1, userId: 4, lines: "1 of 4" });
  expect([...found.linesOf("notification", new Set([4]))]).toEqual(["1 of 4", "10 of 4"]);
  expect([...found.linesOf("notification", new Set())]).toEqual([]);
  found.close();
  expect(() => found.add({ type: "job", id: 2, userId: 0, lines: "late" })).toThrow("finalized");
});
