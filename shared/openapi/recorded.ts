import type { ProblemCode } from "../contract/refusal-codes.ts";
import recorded from "./recorded.json" with { type: "json" };

/** What operations answered on the demo data, by name. `npm run docs` records it. */
export const recordedAnswers: Readonly<Record<string, unknown>> = recorded.answers;

/** A problem document of each code, as the service answered it. */
export const recordedProblems: Readonly<Partial<Record<ProblemCode, unknown>>> = recorded.problems;
