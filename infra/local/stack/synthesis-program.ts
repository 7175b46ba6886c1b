import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Synthesises the stack of the local machine into the folder it is called with, and writes what it read for that. A program of
// its own: the CDK takes hundreds of megabytes, and a module that was loaded once is not read again.
const [, , outdir = ""] = process.argv;
const read = new Set<string>();
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:") && !url.includes("/node_modules/")) read.add(fileURLToPath(url));
    return next(url, context);
  },
});
const { synthesizeBundled } = await import("../../stack-app.ts");
const { writeEntries } = await import("../../functions/entries.ts");
const { writeJsonFile } = await import("../json-file.ts");
const { template } = synthesizeBundled("local", outdir, writeEntries);
writeJsonFile(join(outdir, "synthesis.json"), { template, sources: [...read].sort() });
