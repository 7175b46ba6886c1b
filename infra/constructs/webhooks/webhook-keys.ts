import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { type SecretProps, storedAs } from "../stores/removal.ts";
import { grantSecret } from "../stores/secret-grant.ts";

/** The key from which the secret of each webhook is derived, and the list of replaced secrets. */
export class WebhookKeys extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, props: SecretProps) {
    super(scope, id);
    this.secret = new Secret(this, "Secret", {
      ...storedAs(props),
      description: "Key that the secrets of webhooks are derived from",
      // If anything changes here, CloudFormation overwrites the key, and every receiver refuses the signatures.
      generateSecretString: {
        secretStringTemplate: "{}",
        generateStringKey: "key",
        passwordLength: 64,
        excludePunctuation: true,
      },
    });
  }

  /** Lets a function read the keys, and sets the secret's ARN in the environment. */
  grantRead(fn: LambdaFunction): void {
    grantSecret(fn, "WEBHOOK_SECRET_ARN", this.secret);
  }
}
