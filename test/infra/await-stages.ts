import { synthesizedStages } from "../support/service/made-stack.ts";

await synthesizedStages();
