import { Refusal } from "../../../shared/contract/refusals.ts";

/** The refusal that a piece of work ends in; throws when it does not. */
export function refusalOf(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("Nothing was refused");
}
