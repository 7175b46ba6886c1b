import { Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Stage } from "../stages.ts";

/** Lets a function send e-mail from the stage's address, and SMS; tells it the names to send under. */
export function grantSending(fn: LambdaFunction, { senderAddress, serviceName }: Stage): void {
  const stack = Stack.of(fn);
  fn.addEnvironment("SENDER_ADDRESS", senderAddress);
  fn.addEnvironment("SERVICE_NAME", serviceName);
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["ses:SendEmail"],
      resources: [stack.formatArn({ service: "ses", resource: "identity", resourceName: "*" })],
      conditions: { StringEquals: { "ses:FromAddress": senderAddress } },
    }),
  );
  // Phone numbers have no ARN: every topic and endpoint is kept out instead.
  fn.addToRolePolicy(
    new PolicyStatement({
      actions: ["sns:Publish"],
      notResources: [stack.formatArn({ service: "sns", resource: "*" })],
    }),
  );
}
