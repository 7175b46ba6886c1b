import { Duration } from "aws-cdk-lib";
import { Alarm, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { InlineRole } from "./inline-role.ts";

const aliasName = "live";
/** How a release is watched. */
export const oneMinute = { period: Duration.minutes(1), statistic: "sum" };

/**
 * Releases new versions of functions with care: a tenth of the calls for five minutes, then all of them. A function that
 * fails on the way goes back to the version before, and the deploy with it.
 */
export class CanaryReleases extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: InlineRole;
  readonly #serverErrors: Alarm;
  readonly #rights = new PolicyStatement({
    actions: ["lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"],
  });

  /** `serverErrors` is the alarm on what the API itself answers. */
  constructor(scope: Construct, id: string, serverErrors: Alarm) {
    super(scope, id);
    this.#application = new LambdaApplication(this, "Application");
    this.#role = new InlineRole(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    // CodeDeploy asks for all alarms at once.
    this.#role.addToPrincipalPolicy(new PolicyStatement({ actions: ["cloudwatch:DescribeAlarms"], resources: ["*"] }));
    this.#serverErrors = serverErrors;
  }

  /** Puts an alias before a function that moves to each new version with care; whoever calls the function calls that. */
  release(scope: Construct, fn: LambdaFunction): Alias {
    const alias = fn.addAlias(aliasName);
    new LambdaDeploymentGroup(scope, "Deployment", {
      alias,
      application: this.#application,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [releaseAlarm(scope, "ReleaseFails", alias.metricErrors(oneMinute)), this.#serverErrors],
      // CodeDeploy's ready-made policy is for every function of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    // One statement for all: a role's own rights may be 10,240 characters in all.
    if (this.#rights.resources.length === 0) this.#role.addToPrincipalPolicy(this.#rights);
    this.#rights.addResources(fn.functionArn, `${fn.functionArn}:${aliasName}`);
    return alias;
  }
}

/** An alarm that has a release go back. */
export function releaseAlarm(scope: Construct, id: string, metric: IMetric): Alarm {
  return new Alarm(scope, id, {
    alarmDescription: `${scope.node.path} fails: a release that is under way goes back by itself.`,
    metric,
    threshold: 1,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}
