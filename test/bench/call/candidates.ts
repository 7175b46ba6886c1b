import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";
import { bundleFunctions, bundleOptions } from "../../../infra/functions/bundle.ts";
import { bundleFile, bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";

const name = listInvoices.name;

/** The files to compare, each of which answers GET invoices in a runtime of its own. */
export interface Candidates {
  /** The file that loads the service's own bundle, as it is deployed. */
  readonly ours: string;
  readonly bundle: string;
  /** lib-dynamodb and jose, built with the same flags. */
  readonly bare: string;
  /** middy, lib-dynamodb, zod and Powertools, built with esbuild's defaults. */
  readonly usual: string;
  /** The same, built with our flags. */
  readonly usualMinified: string;
}

/** Builds all of them under a folder of this run. */
export function buildCandidates(rivals: string, directory: string): Candidates {
  const bundles = mkdtempSync(join(directory, "bundles-"));
  bundleFunctions(bundles);
  const { outExtension: _, outdir: __, entryPoints: ___, ...flags } = bundleOptions(bundles);
  const build = (to: string, entry: string, options: BuildOptions) => {
    const outfile = join(bundles, to, "index.cjs");
    buildSync({ logLevel: "error", ...options, entryPoints: [entry], outfile });
    return outfile;
  };
  return {
    bundle: bundleFile(bundles, name),
    ours: pathToFileURL(join(bundleFolder(bundles, name), "index.mjs")).href,
    bare: build("bare", join(rivals, "bare.mjs"), flags),
    usual: build("usual", join(rivals, "usual.mjs"), { bundle: true, platform: "node" }),
    usualMinified: build("usual-minified", join(rivals, "usual.mjs"), flags),
  };
}
