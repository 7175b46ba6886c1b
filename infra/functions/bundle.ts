import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync, context } from "esbuild";
import { describeInterface } from "../../shared/openapi/document.ts";
import { functions } from "./functions.ts";
import { phoneMetadataModule } from "./phone-metadata.ts";
import { primingStepsOf } from "./priming.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

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

/**
 * What builds the same bundles again and again, with source maps beside them, for the local machine: `rebuild` builds what
 * changed, and its result's metafile names the inputs of each bundle.
 */
export async function createBundler(outdir: string) {
  writeEntries(outdir);
  const builder = await context({ ...bundleOptions(outdir), sourcemap: "linked", logLevel: "silent" });
  return { rebuild: () => builder.rebuild(), close: () => builder.dispose() };
}

/** Where the bundle of a function is, under the folder the bundles were built into. */
export function bundleFolder(outdir: string, name: string): string {
  return join(outdir, name);
}

function entryFile(outdir: string, name: string): string {
  return join(outdir, "entries", `${name}.ts`);
}

/** An alias leads to an absolute path, whatever the folder is named by. */
function phoneMetadataFile(outdir: string): string {
  return resolve(outdir, "entries", "phone-metadata.js");
}

/** A function's entry joins its handler with what is to be primed; a function file itself opens nothing. */
function writeEntries(outdir: string): void {
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
    alias: {
      "@aws-sdk/credential-provider-node": join(root, "infra/functions/lambda-credentials.ts"),
      "libphonenumber-js/max/metadata": phoneMetadataFile(outdir),
    },
    // The define is text that is a string literal: what makes the document stays outside the bundle.
    define: { OPENAPI_DOCUMENT: JSON.stringify(JSON.stringify(describeInterface())) },
    metafile: true,
    logLevel: "warning",
  } as const satisfies BuildOptions;
}
