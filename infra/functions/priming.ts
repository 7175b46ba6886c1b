import type * as priming from "../../shared/startup/priming.ts";
import type { FunctionRow } from "./function-row.ts";

/** A step of `shared/startup/priming.ts`. */
export type PrimingStep = Exclude<keyof typeof priming, "prime">;

/**
 * What an environment of a function does before its first call, by what its row lets it do. Nobody waits for a worker, so
 * workers do nothing.
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
