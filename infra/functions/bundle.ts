import { join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { describeInterface } from "../../shared/openapi/document.ts";
import { entryFile, packageAliases, root } from "./bundle-places.ts";
import { writeEntries } from "./entries.ts";
import { functions } from "./functions.ts";

export { bundleFolder } from "./bundle-places.ts";

/**
 * Builds the bundle of every function into `<outdir>/<function name>/`: `function.cjs`, one CommonJS file with the SDK
 * included, and `index.mjs`, which primes it. CommonJS without dynamic import keeps undici, and its 20 ms, out of the
 * start (nodejs/node#59686).
 */
export function bundleFunctions(outdir: string): void {
  writeEntries(outdir);
  buildSync(bundleOptions(outdir));
}

/** How bundles are built: one place for the flags that a fast start depends on. */
export function bundleOptions(outdir: string) {
  const entryPoints = Object.keys(functions).map((name) => ({
    in: entryFile(outdir, name),
    out: join(name, "function"),
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
    outExtension: { ".js": ".cjs" },
    mainFields: ["module", "main"],
    supported: { "dynamic-import": false },
    alias: packageAliases(outdir),
    // The define is text that is a string literal: what makes the document stays outside the bundle.
    define: { OPENAPI_DOCUMENT: JSON.stringify(JSON.stringify(describeInterface())) },
    metafile: true,
    logLevel: "warning",
  } as const satisfies BuildOptions;
}
