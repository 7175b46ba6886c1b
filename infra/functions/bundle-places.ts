import { globSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Modules of packages that bundles have another one in place of; `outdir` is the folder the bundles' entries were written to. */
export function packageAliases(outdir: string) {
  return {
    "@aws-sdk/credential-provider-node": join(root, "infra/functions/lambda-credentials.ts"),
    "@smithy/core/event-streams": join(root, "infra/functions/no-event-streams.ts"),
    "libphonenumber-js/max/metadata": phoneMetadataFile(outdir),
  };
}

/** An alias leads to an absolute path, whatever the folder is named by. */
export function phoneMetadataFile(outdir: string): string {
  return resolve(outdir, "entries", "phone-metadata.js");
}

/** Where the entry of a function's bundle is written to. */
export function entryFile(outdir: string, name: string): string {
  return join(outdir, "entries", `${name}.ts`);
}

/** Where the bundle of a function is, under the folder the bundles were built into. */
export function bundleFolder(outdir: string, name: string): string {
  return join(outdir, name);
}

/** The hashes of the functions that were built into a folder. */
export function hashesIn(outdir: string, names: readonly string[]): string[] {
  const files = names.flatMap((name) => bundleFiles(bundleFolder(outdir, name)));
  return files.flatMap((file) => /\.([0-9a-f]{12})\.cjs$/.exec(file)?.[1] ?? []);
}

/** The file of a function that was built into a folder. */
export function bundleFile(outdir: string, name: string): string {
  const folder = bundleFolder(outdir, name);
  return join(folder, bundleFiles(folder)[0] ?? "");
}

/** The files of a function's code in the folder of its bundle; one, once it is built. */
export function bundleFiles(folder: string): string[] {
  return globSync("*.cjs", { cwd: folder });
}
