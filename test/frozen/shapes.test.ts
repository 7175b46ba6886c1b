import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deriveInFull } from "../support/service/remember-derivations.ts";
import { useService } from "../support/service/service.ts";
import { applications } from "../support/workers/pushes.ts";
import type { Left } from "./release.ts";
import { freeze, frozenReleases, frozenShapes, readFrozen, requireFreezable } from "./samples.ts";
import { live } from "./scenario.ts";
import { shapesOf } from "./shapes.ts";
import { thisRelease } from "./this-release.ts";

const { FREEZE } = process.env;
const command = "FREEZE=<release> npm test -- test/frozen/shapes.test.ts";
const advice =
  "A stored shape changed. Give its entity the next version with an upgrade from the last one, so that older items read " +
  `as newer ones; then freeze samples of it: ${command}`;

// Samples are read by other processes.
if (FREEZE) deriveInFull();
const service = useService();
let left: Left;

beforeAll(async () => {
  process.env.PLATFORM_APPLICATIONS = JSON.stringify(applications);
  left = await live(thisRelease(service), { crowd: FREEZE !== undefined });
  if (FREEZE) freeze(FREEZE, left);
});
afterAll(() => void vi.useRealTimers());

describe("D38: what this code writes", () => {
  test("has the shape of the frozen samples of the same kind and version", () => {
    const frozen = frozenShapes();
    for (const [kind, shape] of Object.entries(shapesOf(left.items))) {
      expect(shape, `${kind}: ${advice}`).toEqual(frozen[kind]);
    }
  });

  test("says its version, every item of it", () => {
    expect(left.items.filter(({ schema_version }) => !schema_version)).toEqual([]);
  });

  test("into queues has the shape of the newest frozen messages", () => {
    const newest = readFrozen(frozenReleases().at(-1) ?? "").messages;
    for (const [queue, messages] of Object.entries(left.messages)) {
      const known = new Set(newest[queue as keyof Left["messages"]].flatMap((each) => fieldsOf(each)));
      const others = [...new Set(messages.flatMap((each) => fieldsOf(each)))].filter((field) => !known.has(field));
      expect(others, `Messages of ${queue} changed. Older code must still take them; then freeze: ${command}`).toEqual(
        [],
      );
    }
  });
});

describe("D38: freezing", () => {
  test("is refused of a release that is out, and of a shape that changed without a new version", () => {
    expect(() => requireFreezable("0.1", left.items)).toThrow("Release 0.1 is out");
    expect(() => requireFreezable("0.3", left.items)).not.toThrow();
    const changed = (version: string) =>
      left.items.map((item) =>
        item.sk?.S === "COMPANY" ? { ...item, added: { BOOL: true }, schema_version: { N: version } } : item,
      );
    expect(() => requireFreezable("0.3", changed("1"))).toThrow("the shape changed of records/company@1");
    expect(() => requireFreezable("0.3", changed("2"))).not.toThrow();
  });
});

/** The fields of a message by path, with the type of each. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [`${path} ${value === null ? "null" : typeof value}`];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, member]) => fieldsOf(member, `${path}/${isList ? "" : name}`));
}
