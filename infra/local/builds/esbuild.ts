import type * as Esbuild from "esbuild";

/** The builder's process takes tens of megabytes when it has nothing to do, and 30 ms to start. */
const idleMilliseconds = 5_000;

let atWork = 0;
let endsWhenIdle = false;
let stopping: NodeJS.Timeout | undefined;

/** From now on esbuild's process ends some seconds after its last work. For programs in which nobody else uses esbuild. */
export function endEsbuildWhenIdle(): void {
  endsWhenIdle = true;
}

/** Gives work esbuild, which is one process for the whole program. */
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
