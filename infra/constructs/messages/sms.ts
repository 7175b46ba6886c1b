import { Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";

/** Lets a function send SMS. */
export function grantSms(fn: LambdaFunction): void {
  // Phone numbers have no ARN: every topic and endpoint is kept out instead.
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["sns:Publish"],
      notResources: [Stack.of(fn).formatArn({ service: "sns", region: "*", account: "*", resource: "*" })],
    }),
  );
}
