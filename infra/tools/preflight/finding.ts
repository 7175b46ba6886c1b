import type { Stage } from "../../stages/stages.ts";
import { kindOfAwsFault } from "../service/aws-faults.ts";

/** Where a stage is to be deployed. */
export interface DeployTarget {
  readonly stage: Stage;
  readonly account: string;
  readonly region: string;
}

/** What a check found, in a sentence that says what to do where something is missing, or is to be done after the deploy. */
export interface Finding {
  readonly outcome: "ok" | "missing" | "later";
  readonly text: string;
}

/** A condition of a first deploy, or of the service after it. Throws what AWS refuses. */
export interface Check {
  readonly about: string;
  find(place: DeployTarget): Promise<Finding>;
}

/** What is as it should be. */
export function ok(text: string): Finding {
  return { outcome: "ok", text };
}

/** What is to be done before the deploy. */
export function missing(text: string): Finding {
  return { outcome: "missing", text };
}

/** What is to be done once the deploy has ended. */
export function later(text: string): Finding {
  return { outcome: "later", text };
}

/** What a call found; undefined where there is no such thing. */
export async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (kindOfAwsFault(error) === "not-found") return undefined;
    throw error;
  }
}
