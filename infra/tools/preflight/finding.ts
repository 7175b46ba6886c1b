import type { Stage } from "../../stages/stages.ts";

/** The stage to deploy, with account and region. */
export interface DeployTarget {
  readonly stage: Stage;
  readonly account: string;
  readonly region: string;
  /** ARN of the credentials' session. */
  readonly caller?: string | undefined;
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
  readonly days?: number;
  /** Whether the stage's settings alone say that there is nothing to do; then nothing is looked up. */
  isSet?(stage: Stage): boolean;
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

/** Checks of some stages; for others there is nothing to do. */
export function onlyFor(applies: (stage: Stage) => boolean, checks: readonly Check[]): readonly Check[] {
  return checks.map((check) => ({ ...check, isSet: (stage) => !applies(stage) || check.isSet?.(stage) === true }));
}
