import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, type BuildResult, buildSync, context } from "esbuild";
import { describeInterface } from "../shared/openapi/document.ts";
import { functions } from "./functions.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Builds the bundle of every function into `<outdir>/<function name>/index.js`: one CommonJS file each, the SDK
 * included. CommonJS without dynamic import keeps undici, and its 20 ms, out of the start (nodejs/node#59686).
 */
export function bundleFunctions(outdir: string): void {
  buildSync(optionsFor(outdir));
}

/** Builds the same bundles again and again, with source maps beside them, for the local machine. */
export interface Bundler {
  /** Builds what changed; the result's metafile names the inputs of each bundle. */
  rebuild(): Promise<BuildResult>;
  close(): Promise<void>;
}

/** Opens a bundler that writes into `<outdir>/<function name>/index.js`. */
export async function createBundler(outdir: string): Promise<Bundler> {
  const builder = await context({ ...optionsFor(outdir), sourcemap: "linked", logLevel: "silent" });
  return { rebuild: () => builder.rebuild(), close: () => builder.dispose() };
}

/** Where the bundle of a function is, under the folder the bundles were built into. */
export function bundleFolder(outdir: string, name: string): string {
  return join(outdir, name);
}

function optionsFor(outdir: string) {
  const entryPoints = Object.entries(functions).map(([name, { room }]) => ({
    in: join(root, "functions", room, `${name}.ts`),
    out: join(name, "index"),
  }));
  return {
    absWorkingDir: root,
    entryPoints,
    outdir,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    mainFields: ["module", "main"],
    supported: { "dynamic-import": false },
    alias: { "@aws-sdk/credential-provider-node": join(root, "infra", "lambda-credentials.ts") },
    // The define is text that is a string literal: what makes the document stays outside the bundle.
    define: { OPENAPI_DOCUMENT: JSON.stringify(JSON.stringify(describeInterface())) },
    metafile: true,
    logLevel: "warning",
  } as const satisfies BuildOptions;
}
