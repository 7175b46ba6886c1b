import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { longPinDigits } from "../../../shared/contract/accounts.ts";
import type { Stage } from "../../stages/stages.ts";
import { GeneratedSecret } from "./generated-secret.ts";

/** A stage's test logins, and the name of the secret that has their pin. */
export interface TestPinProps extends Required<Pick<Stage, "testLogins">> {
  readonly name: string;
}

/** The pin of a stage's test logins. It goes with the setting although the stage keeps its data, because nothing is lost with it. */
export class TestPin extends GeneratedSecret {
  readonly #testLogins: TestPinProps["testLogins"];

  constructor(scope: Construct, id: string, { name, testLogins }: TestPinProps) {
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
    super(scope, id, content, { name, removal: "delete" });
    this.#testLogins = testLogins;
  }

  /** Lets a function read the pin, and sets the secret's ARN and the test logins in its environment. */
  override grantRead(fn: LambdaFunction): void {
    super.grantRead(fn);
    fn.addEnvironment("TEST_LOGINS", JSON.stringify(this.#testLogins));
  }
}
