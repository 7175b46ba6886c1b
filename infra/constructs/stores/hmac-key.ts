import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { type SecretProps, storedAs } from "./removal.ts";
import { grantSecret } from "./secret-grant.ts";

/**
 * The key that pins, passcodes, refresh tokens, limits' subjects, requests with an Idempotency-Key and unknown users' ids
 * are hashed with. Made once; `npm run keys` adds versions and strikes them out.
 */
export class HmacKey extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, props: SecretProps) {
    super(scope, id);
    this.secret = new Secret(this, "Secret", {
      ...storedAs(props),
      description: "Key for the HMACs of pins and passcodes",
      // If anything changes here, CloudFormation overwrites the key. `npm run keys` adds versions beside it.
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ version: 1 }),
        generateStringKey: "key",
        passwordLength: 64,
        excludePunctuation: true,
      },
    });
  }

  /** Lets a function read the key, and sets its ARN in the environment. */
  grantRead(fn: LambdaFunction): void {
    grantSecret(fn, "HMAC_SECRET_ARN", this.secret);
  }
}
