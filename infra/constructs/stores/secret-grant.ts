import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";

const reading = "secretsmanager:GetSecretValue";

/** Lets a function read a secret and take further actions on it. Sets the secret's ARN in its environment. */
export function grantSecret(fn: LambdaFunction, setting: string, { secretArn }: ISecret, actions: string[] = []): void {
  fn.addEnvironment(setting, secretArn);
  fn.addToRolePolicy(new PolicyStatement({ actions: [reading, ...actions], resources: [secretArn] }));
}
