import type { Stage } from "../../stages/stage-shape.ts";

/** The stage to deploy, with account and region. */
export interface DeployTarget {
  readonly stage: Stage;
  /** The file of stages, as findings name it. */
  readonly file: string;
  readonly account: string;
  readonly region: string;
}

/** The result of a check. Its sentence says what to do if something is missing, or to do after the deploy. */
export interface Finding {
  readonly outcome: "ok" | "missing" | "later";
  readonly text: string;
}

/** A condition of the first deploy, or of the service after it. Throws errors of AWS. */
export interface Check {
  readonly about: string;
  /** A sentence for whoever has no credentials yet: what to ask of AWS or of others, or to do, and how long that takes. */
  readonly asks: string;
  /** Days that others take for it, or that it keeps people busy; left out if it takes hours or less. */
  readonly days?: number | undefined;
  /** Another sentence and time, for stages of other settings. */
  asksFor?(stage: Stage): Partial<Pick<Check, "asks" | "days">>;
  /** The result that the stage's settings alone give, credentials or not; then nothing is looked up. */
  bySettings?(stage: Stage): Finding | undefined;
  find(place: DeployTarget): Promise<Finding>;
}

/** Nothing to do. */
export function ok(text: string): Finding {
  return { outcome: "ok", text };
}

/** To be done before the deploy. */
export function missing(text: string): Finding {
  return { outcome: "missing", text };
}

/** To be done after the deploy. */
export function later(text: string): Finding {
  return { outcome: "later", text };
}
