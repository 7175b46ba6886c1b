import { globSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { keepRejection } from "../../set-up/fail-on-rejections.ts";

test.fails("a rejection that nobody handles fails the test that it comes up in", async () => {
  // vitest's own listeners would fail the run.
  const others = process.listeners("unhandledRejection").filter((each) => each !== keepRejection);
  for (const each of others) process.off("unhandledRejection", each);
  onTestFinished(() => others.forEach((each) => void process.on("unhandledRejection", each)));
  void Promise.reject(new Error("forgotten"));
  await setImmediate();
});

const configurations = ["vitest.config.ts", ...globSync("test/system/*/vitest.config.ts")];

test.each([...configurations, "package.json"])("%s ignores no unhandled error", (file) => {
  expect(readFileSync(file, "utf8")).not.toContain("dangerouslyIgnoreUnhandledErrors");
});

test.each([
  "vitest.config.ts",
  "test/system/document/vitest.config.ts",
  "test/system/journeys/vitest.config.ts",
])("%s has such tests fail", (file) => expect(readFileSync(file, "utf8")).toContain("set-up/fail-on-rejections"));
