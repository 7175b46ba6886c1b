import { spawnSync } from "node:child_process";

const lookEveryMilliseconds = 500;

/**
 * Calls `onGone` when npm ends without signalling this process, as a stop button or a process manager ends it. Does
 * nothing if npm did not start this process, which may then outlive its parent.
 */
export function watchNpm(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parents = npmAndItsShell();
  const timer = setInterval(() => {
    if (parents.every(isAlive)) return;
    clearInterval(timer);
    onGone();
  }, lookEveryMilliseconds);
  timer.unref();
}

/** npm runs a script in a shell. The shell may replace itself with the script's process or stay between both. */
function npmAndItsShell(): number[] {
  const { stdout } = spawnSync("ps", ["-p", String(process.ppid), "-o", "ppid=,comm="], { encoding: "utf8" });
  const [, grandparent, command = ""] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout ?? "") ?? [];
  return /(^|\/)-?\w*sh$/.test(command) ? [process.ppid, Number(grandparent)] : [process.ppid];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
