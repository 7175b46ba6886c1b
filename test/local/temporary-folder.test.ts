import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { root } from "../../infra/local/stack/synthesis.ts";
import { makeTemporaryFolder } from "../../infra/local/temporary-folder.ts";

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "place-"));
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  vi.useRealTimers();
  rmSync(place, { recursive: true });
});

/** A process that has made a folder there, and the folder. */
async function startOwner() {
  const module = pathToFileURL(`${root}infra/local/temporary-folder.ts`);
  const program = `
    const { makeTemporaryFolder } = await import(${JSON.stringify(module.href)});
    console.log(makeTemporaryFolder("test", ${JSON.stringify(place)}).path);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void owner.kill("SIGKILL"));
  const [printed] = await once(owner.stdout, "data");
  return { owner, path: String(printed).trim() };
}

function waitSeconds(seconds: number): void {
  vi.useFakeTimers({ now: Date.now() + seconds * 1_000, toFake: ["Date"] });
}

test("a folder is its owner's, and is gone when it has been removed", () => {
  const folder = makeTemporaryFolder("test", place);
  writeFileSync(join(folder.path, "data"), "");
  waitSeconds(60);
  makeTemporaryFolder("test", place).remove();
  expect(existsSync(join(folder.path, "data"))).toBe(true);
  folder.remove();
  expect(readdirSync(place)).toEqual([]);
});

test("the folder of a killed process is removed by the next one that makes a folder, that of a running one is not", async () => {
  const [killed, running] = [await startOwner(), await startOwner()];
  const ended = once(killed.owner, "exit");
  killed.owner.kill("SIGKILL");
  await ended;
  waitSeconds(60);
  const own = makeTemporaryFolder("test", place);
  expect([killed.path, running.path, own.path].map((path) => existsSync(path))).toEqual([false, true, true]);
  own.remove();
});

test("a folder that was just made, and one that has no owner, stay", async () => {
  const { owner, path } = await startOwner();
  const ended = once(owner, "exit");
  owner.kill("SIGKILL");
  await ended;
  const others = ["workforce-engine-abc", "elsewhere"].map((name) => join(place, name));
  for (const other of others) mkdirSync(other);
  makeTemporaryFolder("test", place).remove();
  expect(existsSync(path)).toBe(true);
  waitSeconds(11);
  makeTemporaryFolder("test", place).remove();
  expect([path, ...others].map((each) => existsSync(each))).toEqual([false, true, true]);
});

test.skipIf(!existsSync("/dev/shm")).each([
  [4 * 2 ** 30, "/dev/shm"],
  [4 * 2 ** 30 - 1, tmpdir()],
])("with %d bytes of memory free, a folder is made in %s", (bavail, folder) => {
  vi.spyOn(fs, "statfsSync").mockReturnValue({ bavail, bsize: 1 } as fs.StatsFs);
  syncBuiltinESMExports();
  const { path, remove } = makeTemporaryFolder("test");
  remove();
  expect(dirname(path)).toBe(folder);
});
