import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeInterface } from "../../infra/document/document.ts";
import { breakingChanges, comparedParts } from "./breaking-changes.ts";

/** Breaking changes since the baseline that are made on purpose, each with its reason. */
const accepted: readonly (readonly [change: RegExp, reason: string])[] = [];

const file = new URL("baseline.json", import.meta.url);
const today = comparedParts(JSON.parse(JSON.stringify(describeInterface())));
if (process.env.PIN_BASELINE) writeFileSync(file, `${JSON.stringify(today, null, 1)}\n`);
const baseline = JSON.parse(readFileSync(file, "utf8"));
const found = breakingChanges(baseline, today);

test("a client of the baseline is served: the interface loses and narrows nothing", () => {
  const unexpected = found.filter((each) => !accepted.some(([change]) => change.test(each)));
  expect(unexpected, "infra/UPGRADE.md says what a release may change").toEqual([]);
});

test("no accepted change is left over", () => {
  const leftOver = accepted.filter(([change]) => !found.some((each) => change.test(each)));
  expect(leftOver).toEqual([]);
});
