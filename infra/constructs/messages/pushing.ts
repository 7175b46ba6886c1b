import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Stage } from "../../stages/stages.ts";

/** Lets a function push to the devices behind the stage's platform applications; without any, it may push nowhere. */
export function grantPushing(fn: LambdaFunction, { platformApplications = {} }: Stage): void {
  const applications = Object.values(platformApplications);
  if (applications.length === 0) return;
  fn.addToRolePolicy(new PolicyStatement({ actions: ["sns:CreatePlatformEndpoint"], resources: applications }));
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["sns:SetEndpointAttributes", "sns:DeleteEndpoint", "sns:Publish"],
      resources: applications.map((arn) => `${arn.replace(":app/", ":endpoint/")}/*`),
    }),
  );
}
