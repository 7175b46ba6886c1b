import { RemovalPolicy } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { longPinDigits } from "../../../shared/contract/accounts.ts";
import type { Stage } from "../../stages/stages.ts";
import { grantSecret } from "./secret-grant.ts";

/** A stage's test logins, and the name of the secret that has their pin. */
export interface TestPinProps extends Required<Pick<Stage, "testLogins">> {
  readonly name: string;
}

/** The pin of a stage's test logins. It goes with the setting although the stage keeps its data, because nothing is lost with it. */
export class TestPin extends Construct {
  readonly secret: Secret;
  readonly #testLogins: TestPinProps["testLogins"];

  constructor(scope: Construct, id: string, { name, testLogins }: TestPinProps) {
    super(scope, id);
    this.#testLogins = testLogins;
    this.secret = new Secret(this, "Secret", {
      secretName: name,
      description: "Pin of the stage's test logins, which are sent nothing",
      removalPolicy: RemovalPolicy.DESTROY,
      // CloudFormation generates it again whenever one of these changes.
      generateSecretString: {
        secretStringTemplate: "{}",
        generateStringKey: "pin",
        passwordLength: longPinDigits,
        excludeLowercase: true,
        excludeUppercase: true,
        excludePunctuation: true,
      },
    });
  }

  /** Lets a function read the pin, and sets the secret's ARN and the test logins in its environment. */
  grantRead(fn: LambdaFunction): void {
    grantSecret(fn, "TEST_PIN_SECRET_ARN", this.secret);
    fn.addEnvironment("TEST_LOGINS", JSON.stringify(this.#testLogins));
  }
}
