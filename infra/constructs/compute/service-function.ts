import { ArnFormat, Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { bundleFolder } from "../../functions/bundle-places.ts";
import type { FunctionRow } from "../../functions/function-row.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stages.ts";
import type { CanaryReleases } from "./canary-releases.ts";
import { InlineRole } from "./inline-role.ts";

/** More than the longest row of calls takes when each of them needs all of its attempts (`shared/call-limits.ts`). */
const usualTimeoutSeconds = 20;

/** How long a function may run. */
export function timeoutSecondsOf({ timeoutSeconds = usualTimeoutSeconds }: FunctionRow): number {
  return timeoutSeconds;
}

/** Memory of a function whose row names none; CPU comes with it. */
const usualMemoryMegabytes = 512;

/** What every function of the stack is made from. */
export interface ServiceFunctionProps {
  readonly name: string;
  readonly row: FunctionRow;
  readonly stage: Stage;
  /** Folder that the bundles were built into. */
  readonly bundles: string;
  /** What releases its versions with care; left out, a new version takes all calls at once. */
  readonly releases?: CanaryReleases | undefined;
}

/** One function: its bundle on the newest runtime, with a log group that expires. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  /** What callers call: the function, or the alias that stands before its versions. */
  readonly live: IFunction;
  /** Calls at once that the stage reserves for it, and allows. */
  readonly reserved: number | undefined;

  constructor(scope: Construct, id: string, { name, row, stage, bundles, releases }: ServiceFunctionProps) {
    super(scope, id);
    const functionName = functionNameOf(stage.name, name);
    const logGroup = new LogGroup(this, "Logs", {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new InlineRole(this, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    if (row.callsItself) {
      // By name: the role cannot depend on the function, which depends on it.
      const arn = { service: "lambda", resource: "function", resourceName: functionName };
      const resources = [Stack.of(this).formatArn({ ...arn, arnFormat: ArnFormat.COLON_RESOURCE_NAME })];
      role.addToPrincipalPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources }));
    }
    const metricNamespace = namesOf(stage.name).metrics;
    const reserved = stage.reservedConcurrency?.[name];
    this.reserved = reserved;
    this.function = new LambdaFunction(this, "Function", {
      functionName,
      role,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memoryMegabytes ?? usualMemoryMegabytes,
      timeout: Duration.seconds(timeoutSecondsOf(row)),
      handler: "index.handler",
      code: Code.fromAsset(bundleFolder(bundles, name)),
      environment: { OPERATION: name, METRIC_NAMESPACE: metricNamespace },
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Lines of metrics have no level: they count as INFO.
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Of Lambda's own lines those that a call or a start failed; what each call took is in the function's own line.
      systemLogLevelV2: SystemLogLevel.WARN,
      // What a release replaced stays until the function is deleted: the alias can be moved back to it. What failed goes: a
      // roll-back would lead to it, and Lambda publishes nothing that is as the version before.
      ...(releases && { currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE } }),
      // Lambda traces each call by itself; the tracer's library would cost every start.
      tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(row.mayCallItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    });
    const released = { operation: name, functionName, fn: this.function, metricNamespace };
    this.live = releases?.release(this, released) ?? this.function;
  }
}
