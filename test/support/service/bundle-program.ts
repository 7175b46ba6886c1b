import { bundleFunctions } from "../../../infra/functions/bundle.ts";

// A program of its own: the build keeps its process busy for seconds.
bundleFunctions(process.argv[2] ?? "");
