import { namesOf } from "../stages/names.ts";
import type { App } from "./stack/synthesis.ts";

/** This service as the local machine runs it: its stage `local`. */
export const serviceApp: App = { program: "infra/local/stack/synthesis-program.ts", stack: namesOf("local").stack };
