import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { longPinDigits } from "../../../shared/contract/accounts.ts";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { GeneratedSecret } from "./generated-secret.ts";

/** The pin of a stage's test logins. It goes with the setting although the stage keeps its data, because nothing is lost with it. */
export class TestPin extends GeneratedSecret {
  readonly #testLogins: Stage["testLogins"];

  constructor(scope: Construct, id: string, { name, testLogins }: Stage) {
    const content = {
      setting: "TEST_PIN_SECRET_ARN",
      description: "Pin of the stage's test logins, which are sent nothing",
      template: {},
      field: "pin",
      passwordLength: longPinDigits,
      excludeLowercase: true,
      excludeUppercase: true,
      excludePunctuation: true,
    };
    super(scope, id, content, { name: namesOf(name).testPinSecret, removal: "delete" });
    this.#testLogins = testLogins;
  }

  /** Lets a function read the pin, and sets the secret's ARN and the test logins in its environment. */
  override grantRead(fn: LambdaFunction): void {
    super.grantRead(fn);
    fn.addEnvironment("TEST_LOGINS", JSON.stringify(this.#testLogins));
  }
}
