import { type App, Stack, Tags } from "aws-cdk-lib";
import { namesOf } from "./stages/names.ts";
import type { Stage } from "./stages/stages.ts";

/** A stack beside a stage's own, in us-east-1, for resources of AWS's global services that exist only there. */
export abstract class GlobalStack extends Stack {
  constructor(app: App, name: string, { stage, about }: { readonly stage: Stage; readonly about: string }) {
    const { account, removal } = stage;
    const { tags } = namesOf(stage.name);
    super(app, name, {
      description: `Workforce API, ${about} of the stage ${stage.name}`,
      tags,
      env: { region: "us-east-1", account },
      terminationProtection: removal === "keep",
    });
    for (const [key, value] of Object.entries(tags)) Tags.of(this).add(key, value);
  }
}
