import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { getHealth } from "../../../shared/contract/service.ts";
import { namesOf } from "../../stages/names.ts";
import { gatewayThrottles } from "../api/access-log.ts";
import { type AlarmRow, awsMetric, functionMetric, type MonitoredResources, percentOf } from "./alarm-row.ts";

/** Successful answers an hour, without those of health. With fewer, an hour says little about the next, and the check from outside watches. */
const leastAnHour = 500;
/** Refusals in five minutes, and their share: expired tokens and typing errors are a tenth in health. */
const leastRefused = 50;
const mostRefusedPercent = 30;
/** In percent of the hour before. */
const fallen = 50;
/** In percent of the hour a week before. A holiday of a business has more. */
const stopped = 10;
/** Answers in five minutes that API Gateway refuses by its throttles. */
const mostThrottled = 100;
const secondsPerHour = 3_600;
/** An alarm sees seven days, the last hour among them: the oldest hour begins 167 hours before the last. */
const hoursOfWeek = 168;
/** The hour of the week before is one later in the day: a steep morning has a tenth of it, and not of the day before. */
const hoursOfDay = 24;
/** Five minutes, and the hour before. */
const fiveMinutesOfHour = 13;

/**
 * Alarms on answers that users should have got: refused, throttled, or none at all. Anybody can send requests that are
 * refused, so refusals alone wait for the morning. They page if successful answers fall by half as well, which no number
 * of refused requests brings about.
 */
export function trafficAlarms({ apiId, stage }: MonitoredResources): AlarmRow[] {
  const namespace = namesOf(stage.name).metrics;
  const look = (minutes: number) => {
    const api = (name: string) => awsMetric(`ApiGateway ${name}`, { ApiId: apiId }, { statistic: "Sum", minutes });
    // The check from outside alone asks 720 times an hour.
    const health = functionMetric(stage, getHealth.name, "Invocations", { statistic: "Sum", minutes });
    return { calls: api("Count"), refused: api("4xx"), failed: api("5xx"), health };
  };
  const heading = "Many requests are refused";
  const { calls, refused } = look(60);
  return [
    {
      id: "users-refused",
      metric: lastOf(
        look(5),
        `refused >= ${leastRefused} AND 100 * refused >= ${mostRefusedPercent} * calls AND ${fellBy}`,
        {
          before: `${epoch} >= MAX(${epoch}) - ${secondsPerHour} AND ${epoch} < MAX(${epoch})`,
          label: "1: refused, and half of the successful answers of the hour before are missing",
        },
      ),
      threshold: 1,
      compared: fiveMinutesOfHour,
      because:
        "Expired tokens and typing errors are a tenth in health; no flood of refused requests halves the others.",
      severity: "page",
      impact: "Users are refused what they may do: a release, a key or a throttle answers them with 4xx.",
      heading,
    },
    {
      id: "api-4xx",
      metric: percentOf({
        part: [refused],
        whole: [calls],
        least: leastRefused,
        label: "Answers that are 4xx, percent",
      }),
      threshold: mostRefusedPercent,
      because: "In percent: expired tokens and typing errors are a tenth in health.",
      impact: "Users lose nothing yet, but a third of all requests are refused, of a stranger's or of an app's.",
      heading,
    },
    {
      id: "api-throttled",
      metric: new Metric({ namespace, metricName: gatewayThrottles, statistic: "Sum", period: Duration.minutes(5) }),
      threshold: mostThrottled,
      because: "Apps repeat a few unnoticed.",
      impact:
        "Some requests are refused with 429 by a throttle of the API, users' among them: perhaps nobody signs in.",
      heading: "The API throttles",
    },
    {
      id: "traffic-stopped",
      metric: lastOf(
        look(60),
        `100 * answered < ${stopped} * before AND before >= ${leastAnHour} AND 100 * answered < ${stopped} * dayBefore`,
        {
          before: hourAgo(hoursOfWeek - 1),
          dayBefore: hourAgo(hoursOfDay),
          label: "1: less than a tenth of the successful answers of a week before, and of the day before",
        },
      ),
      threshold: 1,
      compared: hoursOfWeek,
      because:
        "A holiday of a business has more than a tenth of the calls; a steep morning has as many as the day before. Answers of health do not count.",
      severity: "page",
      impact: "Users do not reach the API, or their apps have stopped: hardly any request is answered.",
      heading: "Traffic has stopped",
    },
  ];
}

/** The time of each period; one without calls has one as well. */
const epoch = "EPOCH(FILL(calls, 0))";
const hourAgo = (hours: number) => `${epoch} == MAX(${epoch}) - ${hours * secondsPerHour}`;
const periodsBefore = fiveMinutesOfHour - 1;
const fellBy = `100 * ${periodsBefore} * answered < ${fallen} * before AND before >= ${leastAnHour}`;

/**
 * 1 for the last period if a condition holds, otherwise 0. CloudWatch cannot shift a metric in time. Its expressions see
 * the time of each period instead, and add up the successful answers of those that `before` and `dayBefore` name. More periods than the
 * alarm asked for change nothing, as all of them are older.
 */
function lastOf(
  using: Readonly<Record<"calls" | "refused" | "failed" | "health", IMetric>>,
  condition: string,
  { label, ...sums }: { readonly before: string; readonly dayBefore?: string; readonly label: string },
): MathExpression {
  const { period } = using.calls as Metric;
  const derived = (expression: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({ expression, usingMetrics, period });
  const answered = derived("FILL(calls, 0) - FILL(refused, 0) - FILL(failed, 0) - FILL(health, 0)", using);
  const summed = Object.entries(sums).map(([name, when]) => [
    name,
    derived(`TIME_SERIES(SUM(IF(${when}, answered, 0)))`, { calls: using.calls, answered }),
  ]);
  return new MathExpression({
    expression: `IF(${epoch} == MAX(${epoch}) AND ${condition}, 1, 0)`,
    usingMetrics: { ...using, answered, ...Object.fromEntries(summed) },
    label,
    period,
  });
}
