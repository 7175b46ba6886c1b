import { writeEntries } from "../functions/entries.ts";
import { synthesize } from "../synthesize.ts";

// Synthesises the stack of the local machine into the folder given as argument. It is a program of its own because the
// CDK takes hundreds of megabytes, and a process does not read a loaded module again.
const [, , outdir = ""] = process.argv;
synthesize("local", outdir, writeEntries);
