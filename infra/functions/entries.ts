import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import metadata from "libphonenumber-js/max/metadata";
import type * as priming from "../../shared/priming.ts";
import { root } from "../support/root.ts";
import { bundleFolder, entryFile, phoneMetadataFile } from "./bundle-places.ts";
import type { FunctionRow } from "./function-row.ts";
import { functions } from "./functions.ts";

/**
 * Writes the entries of bundles. An entry joins a handler with its priming steps, because a function file itself opens
 * nothing.
 */
export function writeEntries(outdir: string): void {
  mkdirSync(join(outdir, "entries"), { recursive: true });
  writeFileSync(phoneMetadataFile(outdir), phoneMetadataModule());
  for (const [name, row] of Object.entries(functions)) {
    const steps = primingStepsOf(row);
    const lines = [
      `import { ${["prime as primeAll", ...steps].join(", ")} } from ${JSON.stringify(join(root, "shared/priming.ts"))};`,
      `export { handler } from ${JSON.stringify(join(root, "functions", row.area, `${name}.ts`))};`,
      `export const prime = () => primeAll({ ${steps.join(", ")} });`,
    ];
    writeFileSync(entryFile(outdir, name), `${lines.join("\n")}\n`);
  }
  makeBundleFolders(outdir);
}

/**
 * The source of a module with the numbering plans of the library and the types of their numbers, compressed to a third. Bundles
 * load it instead of the library's; all checks of numbers share it (D7).
 */
export function phoneMetadataModule(): string {
  const text = brotliCompressSync(JSON.stringify(metadata)).toString("base64");
  return `import { brotliDecompressSync } from "node:zlib";
export default JSON.parse(brotliDecompressSync(Buffer.from("${text}", "base64")).toString());
`;
}

/** Makes the folders of bundles, empty: enough for a template from which nothing is deployed. */
export function makeBundleFolders(outdir: string): void {
  for (const name of Object.keys(functions)) mkdirSync(bundleFolder(outdir, name), { recursive: true });
}

type PrimingStep = Exclude<keyof typeof priming, "prime">;

/**
 * The steps that an environment of a function takes before its first call, derived from its row. Workers take none,
 * because nobody waits for them.
 */
export function primingStepsOf({ area, table = [], ...row }: FunctionRow): PrimingStep[] {
  if (area === "workers") return [];
  const steps: (PrimingStep | false | undefined)[] = [
    row.verifiesTokens && "primeVerification",
    row.readsPublicKeys && "primePublicKeys",
    table.includes("GetItem") && "primeTable",
    row.readsHmacKey && "primeHmacKey",
    row.readsClientAddress && "primeEdgeSecret",
    row.signsTokens && "primeSigningKey",
  ];
  return steps.filter((step) => typeof step === "string");
}
