import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFolder, entryFile, phoneMetadataFile, root } from "./bundle-places.ts";
import { functions } from "./functions.ts";
import { phoneMetadataModule } from "./phone-metadata.ts";
import { primingStepsOf } from "./priming-steps.ts";

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
      `import { ${["prime as primeAll", ...steps].join(", ")} } from ${JSON.stringify(join(root, "shared/startup/priming.ts"))};`,
      `export { handler } from ${JSON.stringify(join(root, "functions", row.area, `${name}.ts`))};`,
      `export const prime = () => primeAll({ ${steps.join(", ")} });`,
    ];
    writeFileSync(entryFile(outdir, name), `${lines.join("\n")}\n`);
    mkdirSync(bundleFolder(outdir, name), { recursive: true });
  }
}
