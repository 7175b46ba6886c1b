import { Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { functions } from "../../functions/functions.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import { GeneratedSecret } from "./generated-secret.ts";

export const probeFunction = "probe-release";

/**
 * The user by which new versions are tried before they get calls. Its password is made by the deploy; the function that
 * tries versions reads it, and the administrator who sets it once. It goes with the setting, because it is set again
 * by a reset.
 */
export class ReleaseProbe extends GeneratedSecret {
  readonly #stageName: string;

  constructor(scope: Construct, id: string, { name: stageName, probeLogin: login }: Stage) {
    const content = {
      setting: "PROBE_SECRET_ARN",
      description: "Login and password of the probe of releases",
      template: { login },
      field: "password",
      passwordLength: 40,
      excludePunctuation: true,
    };
    super(scope, id, content, { name: namesOf(stageName).probeSecret, removal: "delete" });
    this.#stageName = stageName;
  }

  /** Lets a function read the password, call every version of the functions that have canaries, and answer CodeDeploy. */
  grant(fn: LambdaFunction): void {
    const { partition, account, region } = Stack.of(this);
    const arn = (service: string, resource: string) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
    const released = Object.entries(functions).filter(([, row]) => "canary" in row);
    this.grantRead(fn);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["lambda:InvokeFunction"],
        resources: released.map(([name]) => arn("lambda", `function:${functionNameOf(this.#stageName, name)}:*`)),
      }),
    );
    const { stack } = namesOf(this.#stageName);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["BatchGetDeploymentTargets", "ListDeploymentTargets", "PutLifecycleEventHookExecutionStatus"].map(
          (each) => `codedeploy:${each}`,
        ),
        // CloudFormation names the applications after the nested stacks that they are in.
        resources: [arn("codedeploy", `deploymentgroup:${stack}-Endpoints*/*`)],
      }),
    );
  }
}
