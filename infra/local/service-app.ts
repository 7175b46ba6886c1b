import type { App } from "../runtime/stack/synthesis.ts";
import { namesOf } from "../stages/names.ts";

/** This service as the local machine runs it: its stage `local`. */
export const serviceApp: App = { program: "infra/local/synthesis-program.ts", stack: namesOf("local").stack };
