import { RemovalPolicy } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { type IAccessLogSettings, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Stage } from "../../stages/stages.ts";

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
  source_ip: "$context.identity.sourceIp",
};

/** Logs every request to an API as a line of JSON, in a log group that expires. */
export function logAccess(
  scope: Construct,
  logGroupName: string,
  retention: Stage["logRetentionDays"],
): IAccessLogSettings {
  const logs = new LogGroup(scope, "AccessLogs", { logGroupName, retention, removalPolicy: RemovalPolicy.DESTROY });
  return {
    destination: new LogGroupLogDestination(logs),
    format: AccessLogFormat.custom(JSON.stringify(line)),
  };
}
