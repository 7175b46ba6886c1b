import { RemovalPolicy } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { pinDigits } from "../../../shared/contract/accounts.ts";
import { grantSecret } from "./secret-grant.ts";

/** The pin of the stage's test logins. Nothing is lost with it, so that it goes with the setting, whatever the stage keeps. */
export class SandboxPin extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, name: string) {
    super(scope, id);
    this.secret = new Secret(this, "Secret", {
      secretName: name,
      description: "Pin of the test logins, which are sent nothing",
      removalPolicy: RemovalPolicy.DESTROY,
      generateSecretString: {
        secretStringTemplate: "{}",
        generateStringKey: "pin",
        passwordLength: pinDigits,
        excludeLowercase: true,
        excludeUppercase: true,
        excludePunctuation: true,
      },
    });
  }

  /** Lets a function read the pin, and sets the secret's ARN in the environment. */
  grantRead(fn: LambdaFunction): void {
    grantSecret(fn, "SANDBOX_SECRET_ARN", this.secret);
  }
}
