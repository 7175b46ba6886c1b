import { type App, Stack, Tags } from "aws-cdk-lib";
import { namesOf } from "./stages/names.ts";
import type { Stage } from "./stages/stages.ts";

/** The one region that CloudFront, its firewall and Route 53 report to, and take resources from. */
export const globalRegion = "us-east-1";

interface StageStackProps {
  readonly stage: Stage;
  readonly about: string;
  /** By default that of the stage. */
  readonly region?: string;
}

/** A stack of a stage, which has the stage's tags and is protected if the stage keeps its data. */
export abstract class StageStack extends Stack {
  constructor(app: App, name: string, { stage, about, region }: StageStackProps) {
    const { tags } = namesOf(stage.name);
    super(app, name, {
      description: `Workforce API, ${about}`,
      tags,
      // `cdk destroy` and a deletion in the console are refused until this is switched off.
      terminationProtection: stage.removal === "keep",
      // The cdk command refuses credentials of another account and region.
      env: { account: stage.account, region: region ?? stage.region },
    });
    // CloudFormation does not pass the stack's own tags on to all types of resources.
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value);
  }
}
