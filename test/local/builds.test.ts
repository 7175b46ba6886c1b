import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { entryFile } from "../../infra/functions/bundle-places.ts";
import { buildsFolder, openBuilds } from "../../infra/local/builds/builds.ts";
import { packagesFolder } from "../../infra/local/builds/packages.ts";
import { newFolder } from "../support/service/new-folder.ts";

const directory = newFolder();
const shared = join(directory, "sources/shared.ts");

/** Saves a file as editors do: written beside it, and put in its place. */
function save(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

test("a function is built again when a file that it imports was saved, and only then", async () => {
  const names = ["first", "second"];
  save(shared, "export const words = 1;");
  save(join(directory, "sources/alone.ts"), "export const handler = () => 2;");
  const handler = `export { words as handler } from ${JSON.stringify(shared)}; export const prime = () => {};`;
  for (const name of names) save(entryFile(directory, name), handler);
  save(entryFile(directory, "alone"), 'export { handler } from "../sources/alone.ts";');
  const builds = openBuilds(directory, directory);
  const revisions = () => Promise.all([...names, "alone"].map((name) => builds.build(name)));
  // Of a file that changed just before it was read nobody knows whether it changes meanwhile.
  await pause(20);
  const before = await revisions();
  const [built, map] = ["", ".map"].map((ending) => join(buildsFolder(directory), `first/function.mjs${ending}`));
  expect(readFileSync(map ?? "", "utf8")).not.toContain("sourcesContent");
  rmSync(built ?? "");
  expect(await revisions()).toEqual(before);
  expect(existsSync(built ?? "")).toBe(false);
  save(shared, "export const words = 2;");
  const after = await revisions();
  expect(after.map((revision, at) => revision === before[at])).toEqual([false, false, true]);
  save(shared, "export const words = ;");
  const message = expect.stringMatching(/shared\.ts:1:21: ERROR/);
  await expect(builds.build("first")).rejects.toMatchObject({ message, errors: [{}] });
  expect(await builds.build("alone")).toBe(before[2]);
  save(shared, "export const words = 1;");
  expect(await builds.build("first")).toBe(before[0]);
});

test("packages that another function needs are built while those of the first are loaded: none is cut short", async () => {
  const entries = {
    signing: 'import "jose";',
    checking: 'import "valibot"; import "jose";',
    parsing: 'import "valibot";',
  };
  for (const [name, imports] of Object.entries(entries)) {
    save(entryFile(directory, name), `${imports} export const handler = () => {}; export const prime = () => {};`);
  }
  const builds = openBuilds(directory, directory);
  await builds.build("signing");
  const filesOf = () => {
    const files = globSync(join(packagesFolder(directory), "*.mjs"));
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
  const file = join(packagesFolder(directory), "built.json");
  const { digest, specifiers } = JSON.parse(readFileSync(file, "utf8"));
  expect(specifiers.toSorted()).toEqual(["jose", "valibot"]);
  // Those of the last start stay, unless other packages have been installed.
  const module = join(packagesFolder(directory), "jose.mjs");
  for (const [last, isBuilt] of [
    [digest, false],
    ["of other packages", true],
  ]) {
    rmSync(module);
    writeFileSync(file, JSON.stringify({ digest: last, specifiers }));
    await openBuilds(directory, directory).build("signing");
    expect(existsSync(module)).toBe(isBuilt);
    if (!isBuilt) writeFileSync(module, "");
  }
});
