import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";
import { newFolder } from "../../support/service/new-folder.ts";
import { useStream } from "./stream.ts";

const stream = useStream();

test("a process that is killed in the midst of a batch is followed by one that repeats that batch and nothing else", async () => {
  const directory = newFolder();
  const seen = join(directory, "seen");
  const run = (deadly: string) => {
    const script = fileURLToPath(new URL("./stream-consumer-process.ts", import.meta.url));
    const parameters = [inject("engineEndpoint"), stream.tableName, join(directory, "places"), seen, deadly];
    return spawnSync(process.execPath, [script, ...parameters], { encoding: "utf8" });
  };
  await stream.write("INVOICE", [1, 2, 3, 4, 5, 6, 7, 8]);
  expect(run("5")).toMatchObject({ signal: "SIGKILL" });
  expect(run("8")).toMatchObject({ signal: "SIGKILL" });
  await stream.write("INVOICE", [9]);
  expect(run("none")).toMatchObject({ status: 0, stderr: "" });
  const batches = readFileSync(seen, "utf8").trim().split("\n");
  expect(batches).toEqual(["1,2", "3,4", "5,6", "5,6", "7,8", "7,8", "9"]);
});
