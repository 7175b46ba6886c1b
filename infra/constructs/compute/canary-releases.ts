import { Duration } from "aws-cdk-lib";
import { Alarm, MathExpression, Metric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, CfnAlias, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { liveAlias } from "../../stages/names.ts";
import { withReason } from "../reason.ts";
import { InlineRole } from "./inline-role.ts";

const leastFaults = 5;
const leastPercent = 1;
/** Percentage points. Apps whose tokens are refused repeat their calls, on both versions alike. */
const mostRefusedMore = 20;
/** With fewer calls of either version, a share says nothing. */
const leastCalls = 50;
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
 * Releases new versions by canary: first a tenth of the calls for five minutes, then all of them. If the new version fails
 * meanwhile, CodeDeploy moves the function back to the version before and the deploy fails. With `-c release=now` a
 * version takes all calls at once, whatever the alarms say.
 */
export class CanaryReleases extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: InlineRole;
  readonly #isNow: boolean;
  /** One statement for all functions: a role's inline policies may have 10,240 characters in total. */
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
    this.#role.addToPrincipalPolicy(this.#rights);
  }

  /** Puts an alias before a function and moves it to each new version by canary. Callers call the alias. */
  release(scope: Construct, released: ReleasedFunction): Alias {
    const { fn } = released;
    const alias = fn.addAlias(liveAlias);
    const alarms = [faultsAlarm(scope, released), refusalsAlarm(scope, released)];
    const { ALL_AT_ONCE, CANARY_10PERCENT_5MINUTES } = LambdaDeploymentConfig;
    const group = new LambdaDeploymentGroup(scope, "Deployment", {
      alias,
      application: this.#application,
      deploymentConfig: this.#isNow ? ALL_AT_ONCE : CANARY_10PERCENT_5MINUTES,
      alarms,
      ignoreAlarmConfiguration: this.#isNow,
      // CodeDeploy's managed policy covers every function of the account.
      role: this.#role.withoutPolicyUpdates(),
    });
    // The group must know the alarms before the version's first call, so that all its calls count.
    alias.node.addDependency(...alarms, group);
    // CodeDeploy refuses an alias that was moved by hand, as after a roll-back. CloudFormation moves any alias.
    if (this.#isNow) leaveToCloudFormation(alias.node.defaultChild as CfnAlias);
    this.#rights.addResources(fn.functionArn, `${fn.functionArn}:${liveAlias}`);
    return alias;
  }
}

function leaveToCloudFormation(alias: CfnAlias): void {
  delete alias.cfnOptions.updatePolicy;
  // CloudFormation moves an alias only if its template changed. This text changes each time.
  alias.description = `Released at once on ${new Date().toISOString()}`;
}

function metricsOf({ operation, functionName, fn, metricNamespace }: ReleasedFunction) {
  const { version } = fn.currentVersion;
  // Lambda emits these metrics only while the alias leads to two versions.
  const both = { FunctionName: functionName, Resource: `${functionName}:${liveAlias}` };
  const ofLambda = (metricName: string, dimensionsMap: Record<string, string>) =>
    new Metric({ namespace: "AWS/Lambda", metricName, dimensionsMap, ...watched });
  const own = (metricName: string, dimensionsMap: Record<string, string>) =>
    new Metric({ namespace: metricNamespace, metricName, dimensionsMap: { operation, ...dimensionsMap }, ...watched });
  return {
    version,
    ofNew: (metricName: string) => ofLambda(metricName, { ...both, ExecutedVersion: version }),
    ofBoth: (metricName: string) => ofLambda(metricName, both),
    ownOfNew: (metricName: string) => own(metricName, { version }),
    ownOfBoth: (metricName: string) => own(metricName, {}),
  };
}

/**
 * The alarm that stops a release. It fires on the new version's faults in percent of its calls, from five faults on.
 * The version's number is in its name, so that each release starts with a fresh alarm.
 */
function faultsAlarm(scope: Construct, released: ReleasedFunction): Alarm {
  const { version, ofNew, ownOfNew } = metricsOf(released);
  // A 500 of a handler is no error to Lambda, and a call that Lambda ends has no answer: nothing is counted twice.
  const faults = "SUM([FILL(answers, 0), FILL(errors, 0)])";
  const alarm = new Alarm(scope, "VersionFails", {
    alarmName: `${released.functionName}-version-${version}`,
    alarmDescription: `The new version of ${released.operation} fails: a release that is under way goes back by itself.`,
    metric: new MathExpression({
      expression: `IF(${faults} >= ${leastFaults}, 100 * ${faults} / FILL(calls, 1), 0)`,
      usingMetrics: { answers: ownOfNew("VersionFaults"), errors: ofNew("Errors"), calls: ofNew("Invocations") },
      label: "Faults of the new version, percent",
      period: watched.period,
    }),
    threshold: leastPercent,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  return withReason(alarm, `In percent, from ${leastFaults} faults on: a single one may be transient.`);
}

/**
 * The alarm on a new version that refuses callers: its share of 401 and 403 against that of the version before in the
 * same minutes. Callers with wrong tokens meet both, so no stranger takes a release back.
 */
function refusalsAlarm(scope: Construct, released: ReleasedFunction): Alarm {
  const { version, ofNew, ofBoth, ownOfNew, ownOfBoth } = metricsOf(released);
  const before = { calls: "(allCalls - calls)", refused: "(FILL(allRefused, 0) - FILL(refused, 0))" };
  const alarm = new Alarm(scope, "VersionRefuses", {
    alarmName: `${released.functionName}-version-${version}-refuses`,
    alarmDescription: `The new version of ${released.operation} refuses callers: a release that is under way goes back by itself.`,
    metric: new MathExpression({
      expression:
        `IF(calls >= ${leastCalls} AND ${before.calls} >= ${leastCalls}, ` +
        `100 * FILL(refused, 0) / calls - 100 * ${before.refused} / ${before.calls}, 0)`,
      usingMetrics: {
        refused: ownOfNew("VersionRefusals"),
        allRefused: ownOfBoth("Refusals"),
        calls: ofNew("Invocations"),
        allCalls: ofBoth("Invocations"),
      },
      label: "401 and 403 of the new version beyond those of the one before, percentage points",
      period: watched.period,
    }),
    threshold: mostRefusedMore,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  return withReason(alarm, `In percentage points, from ${leastCalls} calls of each: fewer say little of a release.`);
}
