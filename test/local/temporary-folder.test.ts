import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { makeTemporaryFolder } from "../../infra/support/temporary-folder.ts";

let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "place-"));
});

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(place, { recursive: true });
});

async function pidOf({ isKilled }: { isKilled: boolean }): Promise<number> {
  const child = spawn("sleep", ["600"]);
  onTestFinished(() => void child.kill());
  if (isKilled) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  return child.pid ?? 0;
}

function ownNamespace(): string {
  const { path, remove } = makeTemporaryFolder("test", place);
  remove();
  return basename(path).split("-")[2] ?? "";
}

function folderOf(pid: number | string, namespace = ownNamespace()): string {
  const path = join(place, `wf-engine-${namespace}-${pid}-abc`);
  mkdirSync(join(path, "data"), { recursive: true });
  return path;
}

test("a folder is gone when it has been removed, with all that is in it", () => {
  const folder = makeTemporaryFolder("test", place);
  mkdirSync(join(folder.path, "data"));
  folder.remove();
  expect(readdirSync(place)).toEqual([]);
});

test.skipIf(process.platform !== "linux")("a folder names the namespace of its process", () => {
  expect(readlinkSync("/proc/self/ns/pid").slice(-4, -1)).toBe(ownNamespace());
});

test("the folders of killed processes are removed by the next one that makes a folder; those of running ones, and others, stay", async () => {
  const killed = folderOf(await pidOf({ isKilled: true }));
  const running = [folderOf(await pidOf({ isKilled: false })), makeTemporaryFolder("test", place).path];
  const elsewhere = folderOf(await pidOf({ isKilled: true }), "0");
  const kept = [...running, elsewhere, folderOf("none"), makeTemporaryFolder("test", place).path];
  expect([killed, ...kept].map((path) => existsSync(path))).toEqual([false, true, true, true, true, true]);
});

test("the folder of another user stays, whether its process runs or not", async () => {
  const foreign = folderOf(await pidOf({ isKilled: true }));
  const getuid = vi.spyOn(process, "getuid").mockReturnValue(4_711);
  makeTemporaryFolder("test", place);
  getuid.mockRestore();
  vi.spyOn(process, "kill").mockImplementation(() => {
    throw Object.assign(new Error(), { code: "EPERM" });
  });
  makeTemporaryFolder("test", place);
  expect(existsSync(foreign)).toBe(true);
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
