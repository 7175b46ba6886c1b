import { enableCompileCache } from "node:module";
import { join } from "node:path";

// To strip the types of two hundred files and to compile the CDK takes as long as the rest of `cdk list`.
enableCompileCache(join(import.meta.dirname, "../.local/compile-cache"));
const { runApp } = await import("./stage-app.ts");
runApp();
