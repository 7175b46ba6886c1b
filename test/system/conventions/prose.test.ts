import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

const relativeClause = /^\s*\/\*\*(?:\s*\n\s*\*)? (?:What|Where|Whatever|Who|Whoever|How)\b/gm;

test("no doc comment begins with What, Where, Whatever, Who, Whoever or How: it names the thing or the actor", () => {
  const files = globSync(["{functions,shared,infra,test}/**/*.{ts,tsx,js,mjs}", "*.ts"], { cwd: root }).filter(
    (file) => !file.includes("node_modules/"),
  );
  expect(files.filter((file) => countIn(readFileSync(join(root, file), "utf8")) > 0)).toEqual([]);
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
