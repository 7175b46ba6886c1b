import type { BusRule } from "../aws/event-buses.ts";
import type { Pattern } from "../filter-patterns.ts";

interface BatchMapping {
  functionName: string;
  batchSize: number;
  /** Whether the function names the messages or records of a batch that failed. */
  reportsItemFailures: boolean;
}

export interface LocalMapping extends BatchMapping {
  queueName: string;
}

export interface LocalStreamMapping extends BatchMapping {
  streamArn: string;
  /** Whether a batch of which no record was processed comes back by halves, so that one record ends up alone. */
  bisects: boolean;
  /** Filters of which a change must match one to reach the function. Without filters, every change does. */
  filters: Pattern[];
}

/** A function that a schedule calls every day at a time of a time zone. */
export interface LocalSchedule {
  functionName: string;
  hour: number;
  minute: number;
  timeZone: string;
}

/** Returns every resource of a type, its properties with local names. */
export type ResourcesOfType = (type: string) => { name: string; id: string; properties: Record<string, unknown> }[];

export function readQueueMappings(all: ResourcesOfType): LocalMapping[] {
  return readMappings(all, ":sqs:").map(({ arn, batches }) => ({ queueName: lastPart(arn), ...batches }));
}

export function readStreamMappings(all: ResourcesOfType): LocalStreamMapping[] {
  return readMappings(all, ":dynamodb:").map(({ arn, batches, criteria, bisects }) => {
    const { Filters = [] } = (criteria ?? {}) as { Filters?: { Pattern: string }[] };
    return {
      streamArn: arn,
      ...batches,
      bisects,
      filters: Filters.map(({ Pattern }) => JSON.parse(Pattern) as Pattern),
    };
  });
}

function readMappings(all: ResourcesOfType, service: string) {
  const mappings = all("AWS::Lambda::EventSourceMapping").map(({ properties }) => ({
    arn: String(properties.EventSourceArn),
    criteria: properties.FilterCriteria,
    bisects: properties.BisectBatchOnFunctionError === true,
    batches: {
      functionName: functionOf(String(properties.FunctionName)),
      batchSize: Number(properties.BatchSize),
      reportsItemFailures: [properties.FunctionResponseTypes].flat().includes("ReportBatchItemFailures"),
    },
  }));
  return mappings.filter(({ arn }) => arn.includes(service));
}

/** The event buses and the rules that lead to queues. */
export function readBuses(all: ResourcesOfType): { names: string[]; rules: BusRule[] } {
  const rules = all("AWS::Events::Rule").map(({ properties }) => ({
    busName: String(properties.EventBusName),
    pattern: properties.EventPattern as Pattern,
    queueNames: (properties.Targets as { Arn: string }[]).map(({ Arn }) => lastPart(Arn)),
  }));
  return { names: all("AWS::Events::EventBus").map(({ name }) => name), rules };
}

/** The schedules. Throws on one that is not daily, because the local machine would not run it. */
export function readSchedules(all: ResourcesOfType): LocalSchedule[] {
  return all("AWS::Scheduler::Schedule").map(({ properties }) => {
    const expression = String(properties.ScheduleExpression);
    const functionName = functionOf((properties.Target as { Arn: string }).Arn);
    const [, minute, hour] = /^cron\((\d+) (\d+) \* \* \? \*\)$/.exec(expression) ?? [];
    if (minute === undefined) throw new Error(`The local machine keeps daily schedules, not ${expression}.`);
    return {
      functionName,
      hour: Number(hour),
      minute: Number(minute),
      timeZone: String(properties.ScheduleExpressionTimezone),
    };
  });
}

/** The function's name, from its name, its ARN, or an integration URI around its ARN. */
export function functionOf(text: string): string {
  return /:function:([^:/]+)/.exec(text)?.[1] ?? text;
}

function lastPart(arn: string): string {
  return arn.slice(arn.lastIndexOf(":") + 1);
}
