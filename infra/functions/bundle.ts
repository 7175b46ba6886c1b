import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { describeInterface } from "../../shared/openapi/document.ts";
import { functions } from "./functions.ts";
import { entryFile, packageAliases, phoneMetadataFile, root } from "./package-aliases.ts";
import { phoneMetadataModule } from "./phone-metadata.ts";
import { primingStepsOf } from "./priming.ts";

/**
 * What Lambda loads. It awaits an ES module to its end, and gives it all of a processor for that; from a CommonJS module it
 * takes what is there at once, and what that has begun goes on in the first call, with a third of a processor.
 */
const index = `import { createRequire } from "node:module";
const { handler, prime } = createRequire(import.meta.url)("./function.cjs");
await prime();
export { handler };
`;

/**
 * Builds the bundle of every function into `<outdir>/<function name>/`: `function.cjs`, one CommonJS file with the SDK
 * included, and `index.mjs`, which primes it. CommonJS without dynamic import keeps undici, and its 20 ms, out of the
 * start (nodejs/node#59686).
 */
export function bundleFunctions(outdir: string): void {
  writeEntries(outdir);
  buildSync(bundleOptions(outdir));
}

/** Where the bundle of a function is, under the folder the bundles were built into. */
export function bundleFolder(outdir: string, name: string): string {
  return join(outdir, name);
}

/** Writes what bundles are built from: an entry joins a handler with what is to be primed; a function file itself opens nothing. */
export function writeEntries(outdir: string): void {
  mkdirSync(join(outdir, "entries"), { recursive: true });
  writeFileSync(phoneMetadataFile(outdir), phoneMetadataModule());
  for (const [name, row] of Object.entries(functions)) {
    const steps = primingStepsOf(row);
    const lines = [
      `import { ${["prime as primeAll", ...steps].join(", ")} } from ${JSON.stringify(join(root, "shared/startup/priming.ts"))};`,
      `export { handler } from ${JSON.stringify(join(root, "functions", row.area, `${name}.ts`))};`,
      `export const prime = () => primeAll({ ${steps.join(", ")} });`,
    ];
    writeFileSync(entryFile(outdir, name), `${lines.join("\n")}\n`);
    mkdirSync(bundleFolder(outdir, name), { recursive: true });
    writeFileSync(join(bundleFolder(outdir, name), "index.mjs"), index);
  }
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
