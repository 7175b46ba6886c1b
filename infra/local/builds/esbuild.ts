import type * as Esbuild from "esbuild";

/** The builder's process takes tens of megabytes when it has nothing to do, and 30 ms to start. */
const idleMilliseconds = 5_000;

let atWork = 0;
let stopping: NodeJS.Timeout | undefined;

/** Gives work esbuild, whose process ends some seconds after the last of it. */
export async function withEsbuild<T>(work: (esbuild: typeof Esbuild) => Promise<T>): Promise<T> {
  clearTimeout(stopping);
  atWork += 1;
  try {
    return await work(await import("esbuild"));
  } finally {
    atWork -= 1;
    if (atWork === 0) stopping = setTimeout(stop, idleMilliseconds).unref();
  }
}

async function stop(): Promise<void> {
  const esbuild = await import("esbuild");
  if (atWork === 0) await esbuild.stop();
}
