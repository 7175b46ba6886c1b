import type { App } from "aws-cdk-lib";
import { TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { CfnHealthCheck } from "aws-cdk-lib/aws-route53";
import { getHealth } from "../shared/contract/service.ts";
import { edgeAlarms } from "./constructs/monitoring/account-alarms.ts";
import { addAlarm, awsMetric } from "./constructs/monitoring/alarm-row.ts";
import { AlarmTopics, notify } from "./constructs/monitoring/alarm-topics.ts";
import { globalRegion, StageStack } from "./stage-stack.ts";
import { namesOf, outsideAlarm } from "./stages/names.ts";
import type { Stage } from "./stages/stage-shape.ts";

/** The fewest that Route 53 accepts, on three continents. */
const regions = ["eu-west-1", "us-east-1", "ap-southeast-1"];
/** Route 53's usual pace; its fast one costs more. */
const betweenAsksSeconds = 30;
/** In a row, so that a single lost request pages nobody. */
const mostFailures = 3;

/**
 * Checks a stage's health from outside its region, and pages if it does not answer. It also watches the stage's edge. It is
 * a stack of its own because Route 53, CloudFront and its firewall report only to CloudWatch in us-east-1. It therefore also pages if the stage's whole region fails, alarms
 * included.
 */
export class OutsideCheckStack extends StageStack {
  constructor(app: App, stage: Stage) {
    const { name, probedHost, alarmAddress: address, pagerUrl } = stage;
    if (probedHost === undefined || address === undefined) {
      throw new Error(`The stage ${name} has no probedHost`);
    }
    const about = `check from outside of the stage ${name}`;
    super(app, namesOf(name).outside, { stage, about, region: globalRegion });
    const check = new CfnHealthCheck(this, "Check", {
      healthCheckConfig: {
        type: "HTTPS",
        fullyQualifiedDomainName: probedHost,
        port: 443,
        enableSni: true,
        resourcePath: getHealth.path,
        requestInterval: betweenAsksSeconds,
        failureThreshold: mostFailures,
        regions,
      },
      healthCheckTags: [{ key: "Name", value: namesOf(name).outside }],
    });
    const dimensions = { HealthCheckId: check.attrHealthCheckId };
    const row = {
      id: outsideAlarm,
      metric: awsMetric("Route53 HealthCheckStatus", dimensions, { statistic: "Minimum", minutes: 1 }),
      threshold: 1,
      isBelow: true,
      periods: 2,
      because: "The figure of a single minute may come late.",
      treatMissingData: TreatMissingData.BREACHING,
      severity: "page",
      impact: "Nobody outside gets an answer, whatever users try.",
      heading: "No answer from outside",
    } as const;
    const topics = new AlarmTopics(this, "Alarms", { address, pagerUrl });
    const page = topics.addPage();
    notify(addAlarm(this, row.id, row, stage), page);
    const edge = edgeAlarms(stage);
    if (edge.length === 0) return;
    const tomorrow = topics.addTomorrow();
    for (const each of edge) {
      notify(addAlarm(this, each.id, each, stage), each.severity === "page" ? page : tomorrow);
    }
  }
}
