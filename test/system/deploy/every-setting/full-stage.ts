import type { Stage } from "../../../../infra/stages/stage-shape.ts";
import { fullStage } from "../../../infra/stages/owned-stage.ts";
import { account, region } from "../emulator.ts";

// Users sign in with the stage itself here: an issuer of one's own would do that in its place.
const { oidcIssuer: _, tableName: __, edge, ...settings } = fullStage;

/** A stage with everything that a stage may name, in the emulator's account, before it has an edge. */
export const stageWithoutEdge: Stage = ofAccount({
  ...settings,
  name: "quay",
  senderIdentity: "domain",
  // Nobody listens there: the emulator calls it.
  pagerUrl: "https://127.0.0.1:9/alarms",
});

export function withEdge(webAclArn: string): Stage {
  return { ...stageWithoutEdge, edge: { ...ofAccount(edge), webAclArn } };
}

/** The same settings with the emulator's account and region in every ARN. */
function ofAccount<Settings>(settings: Settings): Settings {
  return JSON.parse(
    JSON.stringify(settings)
      .replaceAll(/0{12}|123456789012/g, account)
      .replaceAll("eu-west-2", region),
  );
}
