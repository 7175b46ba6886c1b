import { relative } from "node:path";
import { afterAll, type RunnerTask } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { record } from "./recordings.ts";

// biome-ignore lint/correctness/noEmptyPattern: vitest reads in the pattern which fixtures are asked for
afterAll(({}, { file, tasks }) => record({ file: relative(root, file.filepath), isWhole: tasks.every(hasPassed) }));

function hasPassed(task: RunnerTask): boolean {
  return task.type === "suite" ? task.tasks.every(hasPassed) : task.result?.state === "pass";
}
