import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { describeInterface } from "../document/document.ts";
import { pageDefine } from "../document/page-build.ts";
import { root } from "../support/root.ts";
import { bundleFiles, bundleFolder, entryFile, packageAliases } from "./bundle-places.ts";
import { writeEntries } from "./entries.ts";
import { functions } from "./functions.ts";

/**
 * The entry that Lambda loads. Lambda awaits an ES module to its end, with a whole processor. It does not wait for a
 * CommonJS module's promises, which would continue in the first call with a third of a processor.
 */
function indexOf(file: string, hash: string): string {
  return `import { createRequire } from "node:module";
process.env.BUILD = "${hash}";
const { handler, prime } = createRequire(import.meta.url)("./${file}");
await prime();
export { handler };
`;
}

/** A function as it is deployed. The same sources and packages give the same bytes in any folder. */
export interface Build {
  readonly name: string;
  /** First 12 hexadecimal digits of the code's SHA-256. Log lines and stacks contain it. */
  readonly hash: string;
  readonly code: string;
  /** Source map in JSON, its sources relative to the project's folder; undefined unless requested. */
  readonly map: string | undefined;
}

/**
 * Builds the bundle of every function into `<outdir>/<function name>/`: `<name>.<hash>.cjs`, one CommonJS file with the
 * SDK included, and `index.mjs`, which primes it. CommonJS without dynamic import keeps undici out of the start, which
 * saves 20 ms (nodejs/node#59686).
 */
export function bundleFunctions(outdir: string): void {
  for (const { name, hash, code } of buildFunctions(outdir)) {
    const folder = bundleFolder(outdir, name);
    for (const former of bundleFiles(folder)) rmSync(join(folder, former));
    writeFileSync(join(folder, fileOf(name, hash)), code);
    writeFileSync(join(folder, "index.mjs"), indexOf(fileOf(name, hash), hash));
  }
}

/** Builds functions as they are deployed, with source maps if requested. Writes only entries into `outdir`. */
export function buildFunctions(
  outdir: string,
  { names = Object.keys(functions), maps }: { names?: readonly string[]; maps?: boolean } = {},
): Build[] {
  writeEntries(outdir);
  const { entryPoints, ...options } = bundleOptions(outdir);
  const chosen = entryPoints.filter(({ out }) => names.includes(dirname(out)));
  const sourcemap = maps ? ({ sourcemap: "external", sourcesContent: false } as const) : {};
  const { outputFiles } = buildSync({ ...options, ...sourcemap, entryPoints: chosen, write: false });
  const files = new Map(outputFiles.map(({ path, text }) => [relative(resolve(outdir), path), text]));
  return chosen.map(({ out }) => {
    const code = files.get(`${out}.cjs`) ?? "";
    const hash = createHash("sha256").update(code).digest("hex").slice(0, 12);
    const map = files.get(`${out}.cjs.map`);
    return { name: dirname(out), hash, code, map: map && placeMap(map, resolve(outdir), out) };
  });
}

/** Makes a map's sources relative to the project's folder, or to `outdir` for generated files. */
function placeMap(text: string, outdir: string, out: string): string {
  const map = JSON.parse(text) as { sources: string[] };
  const sources = map.sources.map((source) => {
    const path = resolve(outdir, dirname(out), source);
    return path.startsWith(outdir) ? relative(outdir, path) : relative(root, path);
  });
  return JSON.stringify({ ...map, sources });
}

/** The file name carries function and build into every stack. */
function fileOf(name: string, hash: string): string {
  return `${name}.${hash}.cjs`;
}

/** The options of all bundles, with the flags that a fast start depends on. */
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
    // Else an entry is built by the configuration that is found above its own folder.
    tsconfig: join(root, "tsconfig.json"),
    // A string literal, so that the modules which make the document stay outside the bundle.
    define: { OPENAPI_DOCUMENT: JSON.stringify(JSON.stringify(describeInterface())), ...pageDefine() },
    logLevel: "warning",
  } as const satisfies BuildOptions;
}
