import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

test("the changelog begins with what is new since the release that package.json names, or with that release", () => {
  const chapters = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  const released = chapters.filter((title) => !title?.startsWith("Unreleased"));
  const { version } = JSON.parse(read("package.json"));
  expect(released[0]).toBe(version.replace(/-rc$/, ""));
  expect(JSON.parse(read("package-lock.json")).packages[""].version).toBe(version);
});
