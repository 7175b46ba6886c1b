import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FoundRecord, openFoundLines } from "../../../infra/tools/export/found-lines.ts";

const findings: readonly FoundRecord[] = [
  { type: "notification", id: 2, userId: 9, lines: "2 of 9" },
  { type: "notification", id: 10, userId: 4, lines: "10 of 4" },
  { type: "job", id: 1, userId: 0, lines: "job" },
  { type: "notification", id: 2, userId: 10, lines: "2 of 10" },
];

test("lines come by id and then by user as numbers, those of the given users alone, as often as asked; none once closed", () => {
  const found = openFoundLines();
  for (const each of findings) found.add(each);
  expect([...found.linesOf("notification")]).toEqual(["2 of 9", "2 of 10", "10 of 4"]);
  found.add({ type: "notification", id: 1, userId: 4, lines: "1 of 4" });
  expect([...found.linesOf("notification", new Set([4]))]).toEqual(["1 of 4", "10 of 4"]);
  expect([...found.linesOf("notification", new Set())]).toEqual([]);
  found.close();
  expect(() => found.add({ type: "job", id: 2, userId: 0, lines: "late" })).toThrow("finalized");
});

test("a full temporary folder is named, with what to do", () => {
  const module = join(import.meta.dirname, "../../../infra/tools/export/found-lines.ts");
  const program = `
    const found = (await import(${JSON.stringify(module)})).openFoundLines();
    for (let id = 1; id < 5_000; id += 1) found.add({ type: "job", id, userId: 0, lines: "x".repeat(2_000) });`;
  // A limit of files in place of a full disk: 2,048 blocks of 512 or 1,024 bytes.
  const { stderr } = spawnSync(
    "sh",
    ["-c", 'ulimit -f 2048; exec "$0" --input-type=module --eval "$1"', process.execPath, program],
    {
      encoding: "utf8",
    },
  );
  expect(stderr).toMatch(/Error: The lines found so far cannot be kept \(.+\): .+ SQLITE_TMPDIR\./);
});
