import type * as Esbuild from "esbuild";

/** The builder's process takes tens of megabytes when it has nothing to do, and 30 ms to start. */
const idleMilliseconds = 5_000;

interface Use {
  atWork: number;
  stopping?: NodeJS.Timeout;
}

const key = Symbol.for("workforce.esbuild");
const kept = globalThis as { [key]?: Use };
/** esbuild has one process, also where tests load this module again. */
const use = kept[key] ?? { atWork: 0 };
kept[key] = use;

/** Gives work esbuild, whose process ends some seconds after the last of it. */
export async function withEsbuild<T>(work: (esbuild: typeof Esbuild) => Promise<T>): Promise<T> {
  clearTimeout(use.stopping);
  use.atWork += 1;
  try {
    return await work(await import("esbuild"));
  } finally {
    use.atWork -= 1;
    if (use.atWork === 0) use.stopping = setTimeout(stop, idleMilliseconds).unref();
  }
}

async function stop(): Promise<void> {
  const esbuild = await import("esbuild");
  if (use.atWork === 0) await esbuild.stop();
}
