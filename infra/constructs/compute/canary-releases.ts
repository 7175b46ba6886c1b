import { Duration } from "aws-cdk-lib";
import { Alarm, type CfnAlarm, MathExpression, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, CfnAlias, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { liveAlias } from "../../stages/names.ts";
import { InlineRole } from "./inline-role.ts";

const leastFaults = 5;
const leastPercent = 1;
// As long as the canary. CloudWatch moves the window on every minute.
const watched = { period: Duration.minutes(5), statistic: "Sum" };

/** A function that is released by canary, and the names of its fault metrics. */
export interface ReleasedFunction {
  readonly operation: string;
  readonly functionName: string;
  readonly fn: LambdaFunction;
  readonly metricNamespace: string;
}

/**
 * Releases new versions by canary: a tenth of the calls for five minutes, then all of them. If the new version fails
 * meanwhile, CodeDeploy moves the function back to the version before and the deploy fails. With `-c release=now` a
 * version takes all calls at once, whatever the alarms say.
 */
export class CanaryReleases extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: InlineRole;
  readonly #isNow: boolean;
  readonly #rights = new PolicyStatement({
    actions: ["lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"],
  });

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#isNow = this.node.tryGetContext("release") === "now";
    this.#application = new LambdaApplication(this, "Application");
    this.#role = new InlineRole(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    // CodeDeploy describes all alarms at once.
    this.#role.addToPrincipalPolicy(new PolicyStatement({ actions: ["cloudwatch:DescribeAlarms"], resources: ["*"] }));
  }

  /** Puts an alias before a function and moves it to each new version by canary. Callers call the alias. */
  release(scope: Construct, released: ReleasedFunction): Alias {
    const { fn } = released;
    const alias = fn.addAlias(liveAlias);
    const alarm = versionAlarm(scope, released);
    const { ALL_AT_ONCE, CANARY_10PERCENT_5MINUTES } = LambdaDeploymentConfig;
    const group = new LambdaDeploymentGroup(scope, "Deployment", {
      alias,
      application: this.#application,
      deploymentConfig: this.#isNow ? ALL_AT_ONCE : CANARY_10PERCENT_5MINUTES,
      alarms: [alarm],
      ignoreAlarmConfiguration: this.#isNow,
      // CodeDeploy's managed policy covers every function of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    // The group must know the alarm before the version's first call, so that all its calls count.
    alias.node.addDependency(alarm, group);
    // CodeDeploy refuses an alias that was moved by hand, as after a roll-back. CloudFormation moves any alias.
    if (this.#isNow) leaveToCloudFormation(alias.node.defaultChild as CfnAlias);
    // One statement for all functions: a role's inline policies may have 10,240 characters in total.
    if (this.#rights.resources.length === 0) this.#role.addToPrincipalPolicy(this.#rights);
    this.#rights.addResources(fn.functionArn, `${fn.functionArn}:${liveAlias}`);
    return alias;
  }
}

function leaveToCloudFormation(alias: CfnAlias): void {
  delete alias.cfnOptions.updatePolicy;
  // CloudFormation moves an alias only if its template changed. This text changes each time.
  alias.description = `Released at once on ${new Date().toISOString()}`;
}

/**
 * The alarm that stops a release. It fires on the new version's faults in percent of its calls, from five faults on.
 * The version's number is in its name, so that each release starts with a fresh alarm.
 */
function versionAlarm(scope: Construct, { operation, functionName, fn, metricNamespace }: ReleasedFunction): Alarm {
  const { version } = fn.currentVersion;
  // Lambda emits these metrics only while the alias leads to two versions.
  const own = { FunctionName: functionName, Resource: `${functionName}:${liveAlias}`, ExecutedVersion: version };
  const ofLambda = (metricName: string) =>
    new Metric({ namespace: "AWS/Lambda", metricName, dimensionsMap: own, ...watched });
  const answers = new Metric({
    namespace: metricNamespace,
    metricName: "VersionFaults",
    dimensionsMap: { operation, version },
    ...watched,
  });
  // A 500 of a handler is no error to Lambda, and a call that Lambda ends has no answer: nothing is counted twice.
  const faults = "SUM([FILL(answers, 0), FILL(errors, 0)])";
  const alarm = new Alarm(scope, "VersionFails", {
    alarmName: `${functionName}-version-${version}`,
    alarmDescription: `The new version of ${operation} fails: a release that is under way goes back by itself.`,
    metric: new MathExpression({
      expression: `IF(${faults} >= ${leastFaults}, 100 * ${faults} / FILL(calls, 1), 0)`,
      usingMetrics: { answers, errors: ofLambda("Errors"), calls: ofLambda("Invocations") },
      label: "Faults of the new version, percent",
      period: watched.period,
    }),
    threshold: leastPercent,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  const because = `In percent, from ${leastFaults} faults on: a single one may be transient.`;
  (alarm.node.defaultChild as CfnAlarm).addMetadata("Reason", because);
  return alarm;
}
