import { OutsideCheckStack } from "../../../infra/outside-check-stack.ts";
import { type Resource, type SynthesizedStack, stackBeside, stackOf } from "../stack.ts";
import { fullStage } from "../stages/owned-stage.ts";
import { evaluate, type Series } from "./metric-math.ts";

/** A metric of an alarm, by its id in the alarm's expression, and what of it is looked at. */
interface Metric {
  readonly id: string;
  readonly name: string;
  readonly dimensions: string;
  readonly stat: string;
}

/** The figure of a metric in a minute, undefined where it sends none. Minute 0 is when something begins: those before are alike. */
export type World = (metric: Metric, minute: number) => number | undefined;

/** More than the alarm asks for, as CloudWatch reads. */
const furtherPeriods = 3;
const perHour = 60;

/** The value of a deployed alarm's figure at the end of a minute, for as many periods as it looks at; the last one is the newest. */
function figuresOf({ properties }: Resource, world: World, minute: number): Series {
  const { EvaluationPeriods, Period, Metrics } = properties;
  const measured = Metrics?.find((each: { MetricStat?: object }) => each.MetricStat)?.MetricStat;
  const minutes = (Period ?? measured.Period) / 60;
  const ends = Array.from({ length: EvaluationPeriods + furtherPeriods }, (_, at) => minute - at * minutes).reverse();
  const read = (metric: Metric) => ends.map((end) => aggregate(metric, world, end - minutes, end));
  const tail = (series: Series) => series.slice(-EvaluationPeriods);
  if (!Metrics) return tail(read(metricOf("", properties, properties.Statistic ?? properties.ExtendedStatistic)));
  const window = { epochs: ends.map((end) => end * 60) };
  const known = new Map<string, Series>();
  const seriesOf = (wanted: string): Series => {
    const { Expression, MetricStat, Id } = Metrics.find((each: { Id: string }) => each.Id === wanted) ?? {};
    const series =
      known.get(wanted) ??
      (Expression ? evaluate(Expression, seriesOf, window) : read(metricOf(Id, MetricStat.Metric, MetricStat.Stat)));
    known.set(wanted, series);
    return series;
  };
  return tail(seriesOf(Metrics.find((each: { ReturnData?: boolean }) => each.ReturnData !== false).Id));
}

function metricOf(id: string, { MetricName: name, Dimensions = [] }: Resource["properties"], stat: string): Metric {
  return { id, name, stat, dimensions: JSON.stringify(Dimensions.map(({ Value }: { Value: unknown }) => Value)) };
}

function aggregate(metric: Metric, world: World, from: number, to: number): number | undefined {
  const minutesBefore = Math.max(0, Math.min(0, to) - from);
  const usual = minutesBefore > 0 ? world(metric, -1) : undefined;
  const later: number[] = [];
  for (let minute = Math.max(0, from); minute < to; minute += 1) {
    const point = world(metric, minute);
    if (point !== undefined) later.push(point);
  }
  const points = usual === undefined ? later : [usual, ...later];
  if (points.length === 0) return undefined;
  if (/^p|Maximum/.test(metric.stat)) return Math.max(...points);
  if (metric.stat === "Minimum") return Math.min(...points);
  const [sumBefore, countBefore] = usual === undefined ? [0, 0] : [usual * minutesBefore, minutesBefore];
  const sum = later.reduce((all, each) => all + each, sumBefore);
  return metric.stat === "Average" ? sum / (later.length + countBefore) : sum;
}

export function fires(alarm: Resource, world: World, minute: number): boolean {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold, ...own } = alarm.properties;
  const isBad = (point: number | undefined) => {
    if (point === undefined) return own.TreatMissingData === "breaching";
    return own.ComparisonOperator === "LessThanThreshold" ? point < Threshold : point >= Threshold;
  };
  return figuresOf(alarm, world, minute).filter(isBad).length >= DatapointsToAlarm;
}

const full = stackOf("full");
const beside = stackBeside((app) => new OutsideCheckStack(app, fullStage));
export const nameOf = ({ properties }: Pick<Resource, "properties">): string =>
  String(properties.AlarmName).replace("Workforce-full-", "");
const composites = full.all("AWS::CloudWatch::CompositeAlarm");
/** The deployed alarms of the full stage and of its check from outside. */
export const deployedAlarms = [full, beside].flatMap(namedAlarms);

/** The alarms of a stack but for those of releases, which have no fixed name. */
export function namedAlarms({ all }: Pick<SynthesizedStack, "all">): Resource[] {
  return all("AWS::CloudWatch::Alarm").filter(({ properties }) => typeof properties.AlarmName === "string");
}

/** The composite that an alarm is sent by. */
function compositeOf(alarm: Resource): Resource | undefined {
  return composites.find(({ properties }) => properties.AlarmRule.includes(`-${nameOf(alarm)}")`));
}

/** The alarm during which another is not sent. */
function causeOf(alarm: Resource): Resource | undefined {
  const [id] = compositeOf(alarm)?.properties.ActionsSuppressor["Fn::GetAtt"] ?? [];
  return deployedAlarms.find((each) => each.id === id);
}

export function isPaging(alarm: Resource): boolean {
  return JSON.stringify((compositeOf(alarm) ?? alarm).properties.AlarmActions).includes("Page");
}

function isMultiDay({ properties: { EvaluationPeriods, Period, Metrics = [] } }: Resource): boolean {
  const period = Period ?? Metrics.find((each: { MetricStat?: object }) => each.MetricStat).MetricStat.Period;
  return EvaluationPeriods * period > 86_400;
}

/** Which alarms begin to fire within some minutes, when, and who hears of them. */
export function run(
  world: World,
  { minutes, step = 1 }: { readonly minutes: number; readonly step?: number },
): { name: string; minute: number; to: "page" | "tomorrow" }[] {
  const seen = new Map<string, number>();
  for (const alarm of deployedAlarms) {
    // CloudWatch looks at an alarm over more than a day once an hour.
    const every = isMultiDay(alarm) ? Math.max(step, perHour) : step;
    for (let minute = 0; minute <= minutes && !seen.has(nameOf(alarm)); minute += every) {
      if (fires(alarm, world, minute)) seen.set(nameOf(alarm), minute);
    }
  }
  const found = deployedAlarms.flatMap((alarm) => {
    const [name, minute, cause] = [nameOf(alarm), seen.get(nameOf(alarm)), causeOf(alarm)];
    if (minute === undefined || (cause && seen.has(nameOf(cause)))) return [];
    return [{ name, minute, to: isPaging(alarm) ? ("page" as const) : ("tomorrow" as const) }];
  });
  return found.toSorted((one, other) => one.minute - other.minute || one.name.localeCompare(other.name));
}
