import { expect, test } from "vitest";
import { isOf, readLine } from "../../infra/runtime/log-lines.ts";

const from = { source: "machine", at: 5 };

test.each([
  ["plain text \n", 5, "machine", { message: "plain text" }],
  ["{half", 5, "machine", { message: "{half" }],
  ['{"operation":"list-jobs","timestamp":"1970-01-01T00:00:00.007Z"}', 7, "list-jobs", { operation: "list-jobs" }],
  ['{"time":"1970-01-01T00:00:00.008Z"}', 8, "machine", {}],
  ['{"timestamp":"soon"}', 5, "machine", { timestamp: "soon" }],
])("the line %j has its own time and source, or those of the log", (text, at, source, fields) => {
  expect(readLine(text, from)).toMatchObject({ at, source, fields });
  expect(readLine(text, { source: "machine" }).at).toBe(at === 5 ? 0 : at);
});

test.each([
  [{ request_id: "r" }, true],
  [{ request_ids: ["q", "r"] }, true],
  [{ request_id: "q", request_ids: ["q"] }, false],
  [{ request_ids: "r" }, false],
  [{ request_id: "r", _aws: {} }, false],
])("a line of the fields %j is of the request: %s", (fields, expected) => {
  expect(isOf({ at: 0, source: "", fields }, "r")).toBe(expected);
});
