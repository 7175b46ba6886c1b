import type * as priming from "../../shared/startup/priming.ts";
import type { FunctionRow } from "./function-row.ts";

/** A step of `shared/startup/priming.ts`. */
export type PrimingStep = Exclude<keyof typeof priming, "prime">;

/**
 * The steps that an environment of a function takes before its first call, derived from its row. Workers take none,
 * because nobody waits for them.
 */
export function primingStepsOf({ area, table = [], ...row }: FunctionRow): PrimingStep[] {
  if (area === "workers") return [];
  const steps: (PrimingStep | false | undefined)[] = [
    row.verifiesTokens && "primeVerification",
    row.readsPublicKeys && "primePublicKeys",
    table.includes("GetItem") && "primeTable",
    row.readsHmacKey && "primeHmacKey",
    row.readsClientAddress && "primeEdgeSecret",
    row.signsTokens && "primeSigningKey",
  ];
  return steps.filter((step) => typeof step === "string");
}
