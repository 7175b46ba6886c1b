import type { BusRule } from "../aws/event-buses.ts";
import type { Pattern } from "../filter-patterns.ts";
import type { Resource } from "./physical-names.ts";

/** A function that works off the table's stream. */
export interface LocalStreamMapping {
  functionName: string;
  streamArn: string;
  batchSize: number;
  reportsItemFailures: boolean;
  /** A change reaches the function when it matches one; without any, every change does. */
  filters: Pattern[];
}

/** A function that is called every day at a time of a time zone. */
export interface LocalSchedule {
  functionName: string;
  hour: number;
  minute: number;
  timeZone: string;
}

/** A resource of the template, its properties with local names. */
export interface LocalResource {
  readonly name: string;
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** Every resource of a type. */
export type ResourcesOfType = (type: Resource["Type"]) => LocalResource[];

/** The event source mappings of a stream. */
export function readStreamMappings(all: ResourcesOfType): LocalStreamMapping[] {
  const mappings = all("AWS::Lambda::EventSourceMapping");
  return mappings
    .filter(({ properties }) => String(properties.EventSourceArn).includes(":dynamodb:"))
    .map(({ properties }) => ({
      functionName: functionOf(String(properties.FunctionName)),
      streamArn: String(properties.EventSourceArn),
      batchSize: Number(properties.BatchSize ?? 100),
      reportsItemFailures: [properties.FunctionResponseTypes].flat().includes("ReportBatchItemFailures"),
      filters: patternsOf(properties.FilterCriteria),
    }));
}

/** The event buses and the rules that lead to queues. */
export function readBuses(all: ResourcesOfType): { names: string[]; rules: BusRule[] } {
  const rules = all("AWS::Events::Rule").filter(({ properties }) => properties.EventPattern !== undefined);
  return {
    names: all("AWS::Events::EventBus").map(({ name }) => name),
    rules: rules.map(({ properties }) => ({
      busName: String(properties.EventBusName ?? "default"),
      pattern: properties.EventPattern as Pattern,
      queueNames: (properties.Targets as { Arn: string }[]).map(({ Arn }) => lastPart(Arn)),
    })),
  };
}

/** The schedules; throws on one that is not daily, as the local machine would not keep it. */
export function readSchedules(all: ResourcesOfType): LocalSchedule[] {
  return all("AWS::Scheduler::Schedule").map(({ properties }) => {
    const expression = String(properties.ScheduleExpression);
    const [, minute, hour] = /^cron\((\d+) (\d+) \* \* \? \*\)$/.exec(expression) ?? [];
    if (minute === undefined) throw new Error(`The local machine keeps daily schedules only, not ${expression}.`);
    return {
      functionName: functionOf((properties.Target as { Arn: string }).Arn),
      hour: Number(hour),
      minute: Number(minute),
      timeZone: String(properties.ScheduleExpressionTimezone ?? "UTC"),
    };
  });
}

/** The function's name in its name, its ARN, or an integration URI around its ARN. */
export function functionOf(text: string): string {
  return /:function:([^:/]+)/.exec(text)?.[1] ?? text;
}

function patternsOf(criteria: unknown): Pattern[] {
  const { Filters = [] } = (criteria ?? {}) as { Filters?: { Pattern: string }[] };
  return Filters.map(({ Pattern }) => JSON.parse(Pattern) as Pattern);
}

function lastPart(arn: string): string {
  return arn.split(":").at(-1) ?? "";
}
