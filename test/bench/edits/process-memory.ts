import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/**
 * The memory of a process and of all that it started, in megabytes: each page once, divided by those that share it (PSS), so
 * the sum is what would come free. NaN where the system does not count so.
 */
export function memoryOfTree(pid: number): number {
  if (!existsSync("/proc/self/smaps_rollup")) return Number.NaN;
  const listed = execFileSync("ps", ["-e", "-o", "pid=,ppid="], { encoding: "utf8" });
  const pairs = listed.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const withChildren = (id: number): number[] => [
    id,
    ...pairs.filter(([, parent]) => parent === id).flatMap(([child = 0]) => withChildren(child)),
  ];
  return withChildren(pid).reduce((sum, id) => sum + memoryOf(id), 0);
}

function memoryOf(pid: number): number {
  const [, kilobytes = "0"] = /^Pss:\s+(\d+)/m.exec(readIfAlive(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kilobytes) / 1024;
}

/** A process may end between being listed and being read. */
function readIfAlive(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}
