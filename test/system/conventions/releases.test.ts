import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { lastRelease } from "../deploy/upgrade/last-release.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const { version, commit } = lastRelease;

test("the last release has a chapter in the changelog and its commit on the page of releases", () => {
  expect(read("CHANGELOG.md")).toContain(`\n## ${version}\n`);
  expect(read("infra/UPGRADE.md")).toContain(`Release ${version} is\ncommit \`${commit.slice(0, 7)}\``);
});

test("the changelog begins with what is new since the release that package.json names, or with that release", () => {
  const chapters = [...read("CHANGELOG.md").matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  const released = chapters.filter((title) => !title?.startsWith("Unreleased"));
  expect(released[0]).toBe(JSON.parse(read("package.json")).version);
});
