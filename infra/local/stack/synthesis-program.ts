import { join } from "node:path";
import { writeEntries } from "../../functions/entries.ts";
import { synthesizeBundled } from "../../stack-app.ts";
import { writeJsonFile } from "../json-file.ts";

// Synthesises the stack of the local machine into the folder it is called with. A program of its own: the CDK takes hundreds of
// megabytes, and a module that was loaded once is not read again.
const [, , outdir = ""] = process.argv;
const { template } = synthesizeBundled("local", outdir, writeEntries);
writeJsonFile(join(outdir, "whole-template.json"), template);
