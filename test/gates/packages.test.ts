import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../infra/support/root.ts";

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  /** It came within another package. */
  readonly inBundle?: boolean;
}

function readLock(folder: string): Map<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(root, folder, "package-lock.json"), "utf8"));
  return new Map(Object.entries<LockedPackage>(packages).filter(([place]) => place !== ""));
}

test.each([".", "test/gates", "test/system/document"])("each package that npm installs in %s has a hash", (folder) => {
  const locked = [...readLock(folder)].filter(([, { inBundle }]) => !inBundle);
  expect(locked.length).toBeGreaterThan(50);
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

/** The folders of the packages below a folder, and below each of them. */
function installedIn(folder: string): string[] {
  const places = ["*", "@*/*"].map((each) => join(folder, "node_modules", each, "package.json"));
  return globSync(places, { cwd: root }).flatMap((manifest) => [dirname(manifest), ...installedIn(dirname(manifest))]);
}

test("every package that is installed is in the lock file: no script of another has installed it", () => {
  const locked = readLock(".");
  const installed = installedIn(".");
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter((folder) => !locked.has(folder))).toEqual([]);
  expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m);
});
