import { join, resolve } from "node:path";
import { type BuildResult, build, type Plugin } from "esbuild";
import { getOpenapi } from "../../../shared/contract/service.ts";
import { createTurns } from "../../../shared/run/batches.ts";
import { type LocalParts, pageDefine, pageSources } from "../../document/page-build.ts";
import { entryFile } from "../../functions/bundle-places.ts";
import { pageFunction } from "../../functions/worker-rows.ts";
import { type FindChanged, stampFiles } from "../../runtime/file-stamps.ts";
import type { Builds } from "../../runtime/functions/environments.ts";
import { forNode } from "../../runtime/program-bundle.ts";
import { root } from "../../support/root.ts";
import { writeChangedFile, writeWholeFile } from "../../support/whole-file.ts";
import { type BuiltPackages, openPackages } from "./packages.ts";

/** The part of the documentation page that the local machine alone has: a choice of the user that it calls as. */
export const callAsParts: LocalParts = {
  head: '<script src="/_local/call-as.js" type="module"></script>',
  slot: '<div id="call-as"></div>',
};

type Result = BuildResult<{ metafile: true; write: false }>;

/**
 * The entry of a build. It primes the function as the entry of the deployed bundle does (`infra/functions/bundle.ts`),
 * but with ES modules alone.
 */
const index = `import { handler, prime } from "./function.mjs";
await prime();
export { handler };
`;

/** The folder of a machine's builds, with a subfolder for each function. */
export function buildsFolder(directory: string): string {
  return join(directory, "functions");
}

/**
 * Builds into a machine's folder, unminified, with source maps. Packages change rarely, so they are built once, beside
 * the functions. A function then builds in some 30 ms.
 */
export function openBuilds(directory: string, bundles: string): Builds {
  const packages = openPackages(directory, bundles);
  const states = new Map<string, { revision: string; findChanged: FindChanged }>();
  const inTurn = createTurns();

  const buildOnce = async (name: string): Promise<string> => {
    const before = states.get(name);
    if (before && before.findChanged() === undefined) return before.revision;
    const readFrom = Date.now();
    const { result, imported } = await buildFunction(name, directory, bundles, packages);
    await packages.add(imported);
    const revision = write(join(buildsFolder(directory), name), result);
    const sources = [...Object.keys(result.metafile.inputs), ...(name === pageFunction ? pageSources() : [])];
    const inputs = sources.map((file) => resolve(root, file));
    states.set(name, { revision, findChanged: stampFiles(inputs, readFrom) });
    return revision;
  };
  return { build: (name) => inTurn(name, () => buildOnce(name)) };
}

async function buildFunction(name: string, directory: string, bundles: string, packages: BuiltPackages) {
  const imported = new Set<string>();
  const result: Result = await build({
    ...forNode,
    entryPoints: [{ in: entryFile(bundles, name), out: join(name, "function") }],
    outdir: buildsFolder(directory),
    plugins: [takePackages(packages, imported)],
    define: name === pageFunction ? pageDefine(callAsParts) : {},
    inject: name === getOpenapi.name ? [join(import.meta.dirname, "finished-document.ts")] : [],
    outExtension: { ".js": ".mjs" },
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
  });
  return { result, imported };
}

function takePackages(packages: BuiltPackages, imported: Set<string>): Plugin {
  return {
    name: "packages",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ kind, path }) => {
        if (kind === "entry-point" || path.startsWith("node:")) return undefined;
        imported.add(path);
        return { path: packages.moduleOf(path), external: true };
      });
    },
  };
}

/** Writes a build and returns the digest of its code and source map, as a process reads both when it loads the code. */
function write(folder: string, { outputFiles }: Result): string {
  for (const { path, contents } of outputFiles) writeWholeFile(path, contents);
  writeChangedFile(join(folder, "index.mjs"), Buffer.from(index));
  return outputFiles.map(({ hash }) => hash).join();
}
