import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { entryFile } from "../../infra/functions/bundle-places.ts";
import { openBuilds } from "../../infra/local/builds/builds.ts";
import { packagesFolder } from "../../infra/local/builds/packages.ts";
import { makeDirectory } from "../support/service/local-machine.ts";

const directory = makeDirectory();
afterAll(directory.remove);

const shared = join(directory.path, "sources/shared.ts");

/** Saves a file as editors do: written beside it, and put in its place. */
function save(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

test("a function is built again when a file that it imports was saved, and only then", async () => {
  const names = ["first", "second"];
  save(shared, "export const words = 1;");
  save(join(directory.path, "sources/alone.ts"), "export const handler = () => 2;");
  const handler = `export { words as handler } from ${JSON.stringify(shared)}; export const prime = () => {};`;
  for (const name of names) save(entryFile(directory.path, name), handler);
  save(entryFile(directory.path, "alone"), 'export { handler } from "../sources/alone.ts";');
  const builds = openBuilds(directory.path, directory.path);
  const revisions = () => Promise.all([...names, "alone"].map((name) => builds.build(name)));
  const before = await revisions();
  expect(await revisions()).toEqual(before);
  save(shared, "export const words = 2;");
  const after = await revisions();
  expect(after.map((revision, at) => revision === before[at])).toEqual([false, false, true]);
  save(shared, "export const words = ;");
  await expect(builds.build("first")).rejects.toThrow(/shared\.ts:1:21: ERROR/);
});

test("packages that another function needs are built while those of the first are loaded: none is cut short", async () => {
  const entries = {
    signing: 'import "jose";',
    checking: 'import "valibot"; import "jose";',
    parsing: 'import "valibot";',
  };
  for (const [name, imports] of Object.entries(entries)) {
    save(entryFile(directory.path, name), `${imports} export const handler = () => {}; export const prime = () => {};`);
  }
  const builds = openBuilds(directory.path, directory.path);
  await builds.build("signing");
  const filesOf = () => {
    const files = globSync(join(packagesFolder(directory.path), "*.mjs"));
    return new Map(files.map((file) => [file, { ...statSync(file), text: readFileSync(file, "utf8") }]));
  };
  const before = filesOf();
  await Promise.all([builds.build("checking"), builds.build("parsing")]);
  const after = filesOf();
  expect(after.size).toBeGreaterThan(before.size);
  for (const [file, { ino, mtimeMs, text }] of before) {
    const now = after.get(file);
    // In its place is another file or the same: none is written to.
    if (now?.text === text) expect([file, now.ino, now.mtimeMs]).toEqual([file, ino, mtimeMs]);
    else expect([file, now?.ino]).not.toEqual([file, ino]);
  }
  const file = join(packagesFolder(directory.path), "built.json");
  const { digest, specifiers } = JSON.parse(readFileSync(file, "utf8"));
  expect(specifiers.toSorted()).toEqual(["jose", "valibot"]);
  // Those of the last start stay, unless other packages have been installed.
  const module = join(packagesFolder(directory.path), "jose.mjs");
  for (const [last, isBuilt] of [
    [digest, false],
    ["of other packages", true],
  ]) {
    rmSync(module);
    writeFileSync(file, JSON.stringify({ digest: last, specifiers }));
    await openBuilds(directory.path, directory.path).build("signing");
    expect(existsSync(module)).toBe(isBuilt);
    if (!isBuilt) writeFileSync(module, "");
  }
});
