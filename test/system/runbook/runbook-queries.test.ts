import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";

const runbook = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8");
const patterns = [...runbook.matchAll(/ask '[^']*@message like \/(.+?)\/ \|/g)].map(([, pattern = ""]) => pattern);

const platform = (type: string, record: object) =>
  JSON.stringify({ time: "2026-06-01T08:00:00.000Z", type, record: { requestId: "a", ...record } });

/** Lambda's own lines in its JSON format, at the levels WARN and above (its developer guide, "System log level event mapping"). */
const failures: readonly (readonly [string, string])[] = [
  ["a timeout", platform("platform.report", { status: "timeout", metrics: { durationMs: 20_000 } })],
  ["a timeout, in words", "2026-06-01T08:00:20.000Z a Task timed out after 20.00 seconds"],
  ["a crash", platform("platform.runtimeDone", { status: "error", errorType: "Runtime.ExitError" })],
  ["a process out of memory", platform("platform.report", { status: "error", errorType: "Runtime.OutOfMemory" })],
  ["a start that failed", platform("platform.initReport", { status: "error", phase: "init" })],
  ["a call that threw", platform("platform.report", { status: "failure" })],
];

test("the runbook's queries for Lambda's own lines find timeouts, crashes and failed starts", () => {
  expect(patterns.length).toBeGreaterThan(1);
  for (const pattern of patterns) {
    for (const [name, line] of failures) expect(new RegExp(pattern).test(line), `${pattern}: ${name}`).toBe(true);
  }
});

test("they find no line of a call that went well", () => {
  const line = { level: "info", message: "answered", operation: "sign-in", status: 200, request_id: "error" };
  for (const pattern of patterns) expect(new RegExp(pattern).test(JSON.stringify(line))).toBe(false);
});
