import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { stampFiles } from "../../infra/runtime/file-stamps.ts";
import { openMachineLog } from "../../infra/runtime/machine-log.ts";
import { newFolder } from "../support/service/new-folder.ts";

let directory: string;

beforeEach(() => {
  directory = newFolder();
});

describe("the machine's log", () => {
  it("keeps what earlier starts wrote, and only its owner reads it", () => {
    const file = join(directory, "machine.log");
    for (const line of ["first\n", "second\n"]) openMachineLog(file)(line);
    expect(readFileSync(file, "utf8")).toBe("first\nsecond\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("begins again above 10 MB, and keeps what it held until the next time", () => {
    const file = join(directory, "machine.log");
    const most = 10 * 1024 * 1024;
    writeFileSync(file, "a".repeat(most));
    const log = openMachineLog(file);
    for (const line of ["b", "c".repeat(most + 1), "d"]) log(line);
    expect([readFileSync(file, "utf8"), statSync(`${file}.1`).size]).toEqual(["d", most + 1]);
    // Somebody who removes it has the next one.
    log("e".repeat(most));
    rmSync(file);
    log("f");
  });
});

describe("stamps of files", () => {
  it("are outdated by a write, a replacement, a removal and a file that comes, not by a look", () => {
    const [file, other] = [join(directory, "a.ts"), join(directory, "b.ts")];
    const changes = [
      () => writeFileSync(file, "2"),
      () => {
        // An editor's new file may have the size and the times of the old one.
        writeFileSync(`${file}~`, "3");
        utimesSync(`${file}~`, statSync(file).atime, statSync(file).mtime);
        renameSync(`${file}~`, file);
      },
      () => rmSync(file),
      () => writeFileSync(other, "1"),
    ];
    writeFileSync(file, "1");
    for (const change of changes) {
      const findChanged = stampFiles([file, other], 0);
      expect(findChanged()).toBeUndefined();
      change();
      expect(findChanged()).toBe(change === changes.at(-1) ? other : file);
    }
  });

  it("of a file that changed while it was read are never current, nor those of one that changed 10 ms before", () => {
    const file = join(directory, "a.ts");
    writeFileSync(file, "1");
    const { ctimeMs } = statSync(file);
    const changed = [-1_000, 9, 11].map((ms) => stampFiles([file], ctimeMs + ms)());
    expect(changed).toEqual([file, file, undefined]);
  });
});
