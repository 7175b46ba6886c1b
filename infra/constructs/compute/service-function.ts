import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { bundleFolder } from "../../functions/bundle-places.ts";
import type { FunctionRow } from "../../functions/function-row.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { isWatched } from "../../stages/stage-shape.ts";
import type { CanaryReleases } from "./canary-releases.ts";
import { InlineRole } from "./inline-role.ts";
import { VersionedFunction } from "./versioned-function.ts";

/** Longer than the longest sequence of calls takes if each needs all its attempts (`shared/run/call-limits.ts`). */
const usualTimeoutSeconds = 20;

/** The seconds after which a call of the function times out. */
export function timeoutSecondsOf({ timeoutSeconds = usualTimeoutSeconds }: FunctionRow): number {
  return timeoutSeconds;
}

/** Default memory of a function. CPU grows with memory. */
const usualMemoryMegabytes = 512;

export interface ServiceFunctionProps {
  readonly name: string;
  readonly row: FunctionRow;
  readonly stage: Stage;
  readonly bundles: string;
  /** Releases its versions by canary; without it, a new version takes all calls at once. */
  readonly releases?: CanaryReleases | undefined;
}

/** One function: its bundle on the newest runtime, with a log group that expires. */
export class ServiceFunction extends Construct {
  readonly row: FunctionRow;
  readonly function: VersionedFunction;
  /** The target of callers: the function, or the alias before its versions. */
  readonly live: lambda.IFunction;
  /** Its reserved concurrency, which also limits it. */
  readonly reserved: number | undefined;

  constructor(scope: Construct, id: string, { name, row, stage, bundles, releases }: ServiceFunctionProps) {
    super(scope, id);
    this.row = row;
    const functionName = functionNameOf(stage.name, name);
    const logGroup = new LogGroup(this, "Logs", {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new InlineRole(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    const metricNamespace = namesOf(stage.name).metrics;
    // A metric costs money for each hour in which it is sent: alarms, the dashboard and canaries alone read them.
    const counts = isWatched(stage) || releases !== undefined;
    this.reserved = stage.reservedConcurrency?.[name];
    this.function = new VersionedFunction(this, "Function", {
      functionName,
      role,
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: row.memoryMegabytes ?? usualMemoryMegabytes,
      timeout: Duration.seconds(timeoutSecondsOf(row)),
      handler: "index.handler",
      folder: bundleFolder(bundles, name),
      environment: { OPERATION: name, IMPACT: row.impact, ...(counts && { METRIC_NAMESPACE: metricNamespace }) },
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      // Lines of metrics have no level and count as INFO.
      applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
      // Lambda's own lines only if a call or a start failed. The function's own line has the duration of each call.
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      // A replaced version stays until the function is deleted, so that the alias can be moved back to it. A version
      // that failed to deploy is deleted: a roll-back would lead to it, and Lambda publishes nothing that equals the
      // version before.
      ...(releases && { currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE } }),
      // Lambda traces each call by itself. The tracer's library would slow every start.
      tracing: stage.tracing ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
      ...(row.mayCallItself && { recursiveLoop: lambda.RecursiveLoop.ALLOW }),
      reservedConcurrentExecutions: this.reserved,
    });
    const released = { operation: name, functionName, fn: this.function, metricNamespace };
    this.live = releases?.release(this, released) ?? this.function;
  }
}
