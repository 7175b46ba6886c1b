import { globSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "../support/root.ts";

/** Replacements for modules of packages in the bundles. `outdir` is the folder of the bundles' entries. */
export function packageAliases(outdir: string) {
  return {
    "@aws-sdk/credential-provider-node": join(root, "infra/functions/lambda-credentials.ts"),
    "@aws-sdk/endpoint-cache": join(root, "infra/functions/no-endpoint-cache.ts"),
    "@smithy/core/event-streams": join(root, "infra/functions/no-event-streams.ts"),
    "libphonenumber-js/max/metadata": phoneMetadataFile(outdir),
  };
}

/** Absolute even if `outdir` is relative, as aliases need absolute paths. */
export function phoneMetadataFile(outdir: string): string {
  return resolve(outdir, "entries", "phone-metadata.js");
}

export function entryFile(outdir: string, name: string): string {
  return join(outdir, "entries", `${name}.ts`);
}

/** The folder of a function's bundle, below the folder of all bundles. */
export function bundleFolder(outdir: string, name: string): string {
  return join(outdir, name);
}

/** The hashes of the functions whose builds a folder contains. */
export function hashesIn(outdir: string, names: readonly string[]): string[] {
  const files = names.flatMap((name) => bundleFiles(bundleFolder(outdir, name)));
  return files.flatMap((file) => /\.([0-9a-f]{12})\.cjs$/.exec(file)?.[1] ?? []);
}

/** The code file of a function's build. */
export function bundleFile(outdir: string, name: string): string {
  const folder = bundleFolder(outdir, name);
  return join(folder, bundleFiles(folder)[0] ?? "");
}

/** The code files in the folder of a function's bundle: one, once it is built. */
export function bundleFiles(folder: string): string[] {
  return globSync("*.cjs", { cwd: folder });
}
