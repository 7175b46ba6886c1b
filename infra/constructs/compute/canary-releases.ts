import { Duration } from "aws-cdk-lib";
import { Alarm, MathExpression, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, CfnAlias, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { liveAlias } from "../../stages/names.ts";
import { InlineRole } from "./inline-role.ts";

const leastFaults = 5;
const leastPercent = 1;
// As long as the canary takes: CloudWatch moves the window on every minute.
const watched = { period: Duration.minutes(5), statistic: "Sum" };

/** A function that is released with care, and what its faults are counted under. */
export interface ReleasedFunction {
  readonly operation: string;
  readonly functionName: string;
  readonly fn: LambdaFunction;
  readonly metricNamespace: string;
}

/**
 * Releases new versions of functions with care: a tenth of the calls for five minutes, then all of them. A function whose
 * new version fails on the way goes back to the version before, and the deploy with it. With `-c release=now` a version
 * takes all calls at once, whatever the alarms say.
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
    // CodeDeploy asks for all alarms at once.
    this.#role.addToPrincipalPolicy(new PolicyStatement({ actions: ["cloudwatch:DescribeAlarms"], resources: ["*"] }));
  }

  /** Puts an alias before a function that moves to each new version with care; whoever calls the function calls that. */
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
      // CodeDeploy's ready-made policy is for every function of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    // The calls of a version are counted from its first on, and by the group that knows its alarm.
    alias.node.addDependency(alarm, group);
    // CodeDeploy refuses an alias that was moved by hand, as after a roll-back: CloudFormation itself moves any.
    if (this.#isNow) leaveToCloudFormation(alias.node.defaultChild as CfnAlias);
    // One statement for all: a role's own rights may be 10,240 characters in all.
    if (this.#rights.resources.length === 0) this.#role.addToPrincipalPolicy(this.#rights);
    this.#rights.addResources(fn.functionArn, `${fn.functionArn}:${liveAlias}`);
    return alias;
  }
}

function leaveToCloudFormation(alias: CfnAlias): void {
  delete alias.cfnOptions.updatePolicy;
  // It moves an alias only where the template of the last deploy had another: this one is another each time.
  alias.description = `Released at once on ${new Date().toISOString()}`;
}

/**
 * The alarm that has a release go back: on the new version's own faults, in percent of its own calls, from five faults on.
 * Its name has the version's number, so that each release begins with an alarm of its own, which no earlier fault set off.
 */
function versionAlarm(scope: Construct, { operation, functionName, fn, metricNamespace }: ReleasedFunction): Alarm {
  const { version } = fn.currentVersion;
  // Lambda counts so only while the alias leads to two versions.
  const own = { FunctionName: functionName, Resource: `${functionName}:${liveAlias}`, ExecutedVersion: version };
  const ofLambda = (metricName: string) =>
    new Metric({ namespace: "AWS/Lambda", metricName, dimensionsMap: own, ...watched });
  const answers = new Metric({
    namespace: metricNamespace,
    metricName: "VersionFaults",
    dimensionsMap: { operation, version },
    ...watched,
  });
  // What a handler answers with 500 is no error to Lambda, and what Lambda ends was never answered: none is counted twice.
  const faults = "SUM([FILL(answers, 0), FILL(errors, 0)])";
  return new Alarm(scope, "VersionFails", {
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
}
