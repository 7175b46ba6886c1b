import { loadDemo } from "../../../infra/local/demo/demo.ts";
import { enterEnvironment } from "../../../infra/local/local-aws.ts";
import { openLocalAws } from "../../../infra/local/open-local-aws.ts";

// A program of its own: a test's clients would keep the address of the engine that ends here.
const aws = await openLocalAws({ directory: process.argv[2] ?? "" });
enterEnvironment(aws.environment);
await loadDemo();
aws.demoLoaded();
await aws.processPending();
await aws.close();
