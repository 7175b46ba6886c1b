import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { createTurns } from "../../../shared/run/batches.ts";
import { packageAliases } from "../../functions/bundle-places.ts";
import { forNode } from "../../runtime/program-bundle.ts";
import { readJsonFile, writeJsonFile } from "../../support/json-file.ts";
import { root } from "../../support/root.ts";
import { writeChangedFile } from "../../support/whole-file.ts";

/** The packages that functions import, built once for all of them, apart from the functions' own sources. */
export interface BuiltPackages {
  /** The path of an import's module, relative to a function's build folder. */
  moduleOf(specifier: string): string;
  /** Builds the missing ones of these imports, together with all that were built before. */
  add(specifiers: Iterable<string>): Promise<void>;
}

interface Built {
  digest: string;
  specifiers: string[];
}

/** Opens the packages of a machine's folder; `bundles` is the folder that the functions' entries were written to. */
export function openPackages(directory: string, bundles: string): BuiltPackages {
  const folder = packagesFolder(directory);
  const file = join(folder, "built.json");
  const digest = digestOf(["package-lock.json", "infra/functions/lambda-credentials.ts"]);
  const saved = readJsonFile<Built>(file);
  let built = new Set(saved?.digest === digest ? saved.specifiers : []);
  const inTurn = createTurns();
  const addNext = async (specifiers: Iterable<string>) => {
    const wanted = new Set([...built, ...specifiers]);
    if (wanted.size === built.size) return;
    await buildPackages([...wanted], folder, bundles);
    built = wanted;
    writeJsonFile(file, { digest, specifiers: [...wanted] } satisfies Built);
  };
  return {
    moduleOf: (specifier) => `../../packages/${specifier}.mjs`,
    // One after the other, because each build includes the packages of those before it.
    add: (specifiers) => inTurn("packages", () => addNext(specifiers)),
  };
}

export function packagesFolder(directory: string): string {
  return join(directory, "packages");
}

async function buildPackages(specifiers: readonly string[], folder: string, bundles: string): Promise<void> {
  const { outputFiles } = await build({
    ...forNode,
    entryPoints: specifiers.map((specifier) => ({ in: specifier, out: specifier })),
    outdir: folder,
    alias: packageAliases(bundles),
    splitting: true,
    outExtension: { ".js": ".mjs" },
    mainFields: ["module", "main"],
    // Packages in CommonJS load Node's own modules by `require`.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  // A function may be loading these files now, so unchanged ones are not written. Shared chunks are named by their
  // contents.
  for (const { path, contents } of outputFiles) writeChangedFile(path, contents);
}

function digestOf(files: readonly string[]): string {
  return hash("sha256", files.map((file) => readFileSync(join(root, file), "utf8")).join("\0"));
}
