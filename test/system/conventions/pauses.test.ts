import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

test("pauses and their jitter are made in one place", () => {
  const files = globSync("{functions,shared}/**/*.ts", { cwd: root });
  const making = files.filter((file) => {
    const source = readFileSync(join(root, file), "utf8");
    return /Math\.random|new Promise\(\(resume\) => setTimeout/.test(source);
  });
  expect(making).toEqual(["shared/backoff.ts"]);
});
