import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { namesOf } from "../../stages/names.ts";
import { edgeOf } from "../../stages/stage-shape.ts";
import type { Stage } from "../../stages/stages.ts";
import { expiryAlarm } from "./account-alarms.ts";
import { type AlarmRow, awsMetric } from "./alarm-row.ts";

/** In percent of the edge's answers, as of the API's own. */
const failing = 0.5;
/** Requests in five minutes below which a rate says nothing. */
const leastRequests = 1_000;
/** Requests an hour that the firewall refuses. One address that goes on after it is refused sends that many in a minute. */
const mostBlocked = 1_000;

/** Alarms on a stage's edge and its firewall, none without an edge. All are in us-east-1. */
export function edgeAlarms(stage: Stage): AlarmRow[] {
  const edge = edgeOf(stage);
  if (edge === undefined) return [];
  const WebACL = namesOf(stage.name).firewall;
  return [
    expiryAlarm("edge-certificate-expires", edge.certificateArn),
    {
      id: "edge-blocks",
      metric: awsMetric("WAFV2 BlockedRequests", { WebACL, Rule: "ALL" }, { statistic: "Sum", minutes: 60 }),
      threshold: mostBlocked,
      because: "One address that goes on after it is refused sends as many in some minutes.",
      impact: "Users lose nothing if it is one caller's flood, but a site behind one address may be refused with 429.",
      heading: "The edge refuses or fails",
    },
    ...(edge.distributionId === undefined ? [] : [failingAlarm(edge.distributionId)]),
  ];
}

/** CloudFront counts what API Gateway cannot: answers that never reached it. */
function failingAlarm(DistributionId: string): AlarmRow {
  const of = (metric: string, statistic: "Sum" | "Average") =>
    awsMetric(`CloudFront ${metric}`, { DistributionId, Region: "Global" }, { statistic, minutes: 5 });
  const usingMetrics = { requests: of("Requests", "Sum"), rate: of("5xxErrorRate", "Average") };
  return {
    id: "edge-5xx",
    metric: new MathExpression({
      expression: `IF(requests >= ${leastRequests}, rate, 0)`,
      usingMetrics,
      label: "Answers of the edge that are 5xx, percent",
      period: usingMetrics.rate.period,
    }),
    threshold: failing,
    because: `In percent, as of the API's own answers; below ${leastRequests} requests a rate says nothing.`,
    periods: 2,
    severity: "page",
    impact: "Some requests fail at the edge, whatever users try.",
    heading: "The edge refuses or fails",
  };
}
