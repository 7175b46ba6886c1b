import { RemovalPolicy } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { type IAccessLogSettings, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { FilterPattern, LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { namesOf } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { isWatched } from "../../stages/stage-shape.ts";

/** The fields of a line. Never log path, query or headers: they may contain pins and tokens. */
const line = {
  time: "$context.requestTimeEpoch",
  request_id: "$context.requestId",
  lambda_request_id: "$context.integration.requestId",
  route: "$context.routeKey",
  status: "$context.status",
  latency_ms: "$context.responseLatency",
  function_latency_ms: "$context.integrationLatency",
  function_status: "$context.integrationStatus",
  error_type: "$context.error.responseType",
  error_message: "$context.error.message",
  integration_error: "$context.integrationErrorMessage",
  source_ip: "$context.identity.sourceIp",
};

/** Metric of requests that API Gateway itself refused by a throttle, in the stage's namespace. */
export const gatewayThrottles = "GatewayThrottles";

/**
 * Logs every request to an API as a line of JSON, in a log group that expires. For alarms it counts those that were throttled
 * before they reached a function, as API Gateway has no metric of these.
 */
export function logAccess(scope: Construct, stage: Stage): IAccessLogSettings {
  const { name, logRetentionDays: retention } = stage;
  const { accessLogs: logGroupName } = namesOf(name);
  const logs = new LogGroup(scope, "AccessLogs", { logGroupName, retention, removalPolicy: RemovalPolicy.DESTROY });
  if (isWatched(stage)) countThrottles(scope, logs, name);
  return {
    destination: new LogGroupLogDestination(logs),
    format: AccessLogFormat.custom(JSON.stringify(line)),
  };
}

function countThrottles(scope: Construct, logGroup: LogGroup, stageName: string): void {
  // A variable without a value is a hyphen: no function answered.
  const byGateway = FilterPattern.all(
    FilterPattern.stringValue("$.status", "=", "429"),
    FilterPattern.stringValue("$.function_status", "=", "-"),
  );
  new MetricFilter(scope, "Throttles", {
    logGroup,
    filterPattern: byGateway,
    metricNamespace: namesOf(stageName).metrics,
    metricName: gatewayThrottles,
  });
}
