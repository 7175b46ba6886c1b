import { findStage, type Stage } from "../../infra/stages.ts";

const host = "workforce.harbour-logistics.co.uk";

/** A stage as it is once somebody has put addresses of their own in place of its placeholders. */
export function ownedStage(name: string): Stage {
  const stage = findStage(name);
  if (stage.removal !== "keep") return stage;
  return {
    ...stage,
    senderAddress: `no-reply@${host}`,
    origins: [`https://${name}.${host}`],
    alarmAddress: `on-call@${host}`,
  };
}
