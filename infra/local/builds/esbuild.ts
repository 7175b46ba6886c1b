import type * as Esbuild from "esbuild";

/** Short, because the idle process uses tens of megabytes and starts in 30 ms. */
const idleMilliseconds = 5_000;

let atWork = 0;
let endsWhenIdle = false;
let stopping: NodeJS.Timeout | undefined;

/** Makes esbuild's process end after its last work. Only for programs in which nothing else uses it. */
export function endEsbuildWhenIdle(): void {
  endsWhenIdle = true;
}

/** Runs work with esbuild, which is one process for the whole program. */
export async function withEsbuild<T>(work: (esbuild: typeof Esbuild) => Promise<T>): Promise<T> {
  clearTimeout(stopping);
  atWork += 1;
  try {
    return await work(await import("esbuild"));
  } finally {
    atWork -= 1;
    if (atWork === 0 && endsWhenIdle) stopping = setTimeout(stop, idleMilliseconds).unref();
  }
}

async function stop(): Promise<void> {
  const esbuild = await import("esbuild");
  if (atWork === 0) await esbuild.stop();
}
