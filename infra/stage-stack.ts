import { Annotations, type App, CfnWaitConditionHandle, Stack, Tags } from "aws-cdk-lib";
import { EnvironmentUtils, UNKNOWN_ACCOUNT, UNKNOWN_REGION } from "aws-cdk-lib/cx-api";
import { namesOf } from "./stages/names.ts";
import type { Stage } from "./stages/stage-shape.ts";

/** The one region that CloudFront, its firewall and Route 53 report to, and take resources from. */
export const globalRegion = "us-east-1";

interface StageStackProps {
  readonly stage: Stage;
  readonly about: string;
  /** By default that of the stage. */
  readonly region?: string;
}

/**
 * A stack of a stage, which has the stage's tags and is protected if the stage keeps its data. Its templates name its account and
 * region by AWS's own parameters, so that they are the same whether the stage names these or not.
 */
export abstract class StageStack extends Stack {
  /** The cdk command refuses credentials of another account and region. */
  override readonly environment: string;

  constructor(app: App, name: string, { stage, about, region }: StageStackProps) {
    const { tags } = namesOf(stage.name);
    super(app, name, {
      description: `Workforce API, ${about}`,
      tags,
      // `cdk destroy` and a deletion in the console are refused until this is switched off.
      terminationProtection: stage.removal === "keep",
    });
    const { account = UNKNOWN_ACCOUNT, region: own = UNKNOWN_REGION } = stage;
    this.environment = EnvironmentUtils.format(account, region ?? own);
    // CloudFormation does not pass the stack's own tags on to all types of resources.
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value);
  }
}

/** A stack that cannot be deployed yet: in its place are the sentences that say why. */
export class RefusedStack extends StageStack {
  constructor(
    app: App,
    name: string,
    { stage, faults }: { readonly stage: Stage; readonly faults: readonly string[] },
  ) {
    super(app, name, { stage, about: "not ready to be deployed" });
    for (const fault of faults) Annotations.of(this).addError(fault);
    // A template without resources would be one fault more.
    new CfnWaitConditionHandle(this, "Nothing");
  }
}
