import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Most doc comments that may begin with a relative clause. Lower it with each part that rewrites some. */
const mostRelativeClauses = 123;

const relativeClause = /^\s*\/\*\*(?:\s*\n\s*\*)? (?:What|Where|Whatever|Whoever|How)\b/gm;

test("few doc comments begin with What, Where, Whatever, Whoever or How: they name the thing or the actor", () => {
  const files = globSync("{functions,shared,infra}/**/*.{ts,tsx,js}", { cwd: root });
  const counts = files.map((file) => countIn(readFileSync(join(root, file), "utf8")));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(mostRelativeClauses);
});

test.each([
  ["/** What a user may do. */", 1],
  ["  /**\n   * Where the events go. They wait there.\n   */", 1],
  ["/** The rights of a user. */", 0],
  ["/**\n * The rights of a user, and\n * what they mean.\n */", 0],
])("a relative clause at the beginning of a doc comment is counted: %s", (source, count) => {
  expect(countIn(source)).toBe(count);
});

function countIn(source: string): number {
  return source.match(relativeClause)?.length ?? 0;
}
