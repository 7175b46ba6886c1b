import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { type SecretProps, storedAs } from "./removal.ts";
import { grantSecret } from "./secret-grant.ts";

/**
 * The secret that the edge sends to the service. Both `current` and `previous` are valid, so that it can be replaced
 * while requests are under way.
 */
export class EdgeSecret extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, props: SecretProps) {
    super(scope, id);
    this.secret = new Secret(this, "Secret", {
      ...storedAs(props),
      description: "What CloudFront proves itself with to the API",
      // CloudFormation generates the secret again if one of these changes.
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ previous: "" }),
        generateStringKey: "current",
        passwordLength: 64,
        excludePunctuation: true,
      },
    });
  }

  /** Lets a function read the secret, and sets its ARN in the environment. */
  grantRead(fn: LambdaFunction): void {
    grantSecret(fn, "EDGE_SECRET_ARN", this.secret);
  }
}
