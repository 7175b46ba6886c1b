import { spawnSync } from "node:child_process";

/** The ids of the processes of an engine that keeps its data in a folder. */
export function enginesOn(folder: string): number[] {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.includes(folder) && /dynoxide|DynamoDBLocal/.test(line));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** Kills the one engine of a folder, as a lack of memory does. */
export function killEngineOn(folder: string): void {
  const [pid, ...others] = enginesOn(folder);
  if (pid === undefined || others.length > 0) throw new Error(`There is not one engine on ${folder}`);
  process.kill(pid, "SIGKILL");
}
