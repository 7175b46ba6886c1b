import type { ProblemCode } from "../../shared/contract/refusals.ts";
import recorded from "./recorded.json" with { type: "json" };

/** Answers of operations on the demo data, by name. `npm run docs -- --examples` records them. */
export const recordedAnswers: Readonly<Record<string, unknown>> = recorded.answers;

/** A problem document of each code, as recorded from the service. */
export const recordedProblems: Readonly<Partial<Record<ProblemCode, unknown>>> = recorded.problems;
