import { join } from "node:path";
import type { Template, TemplateResource } from "../../support/stack-template.ts";
import type { BusRule } from "../aws/event-buses.ts";
import type { SecretGeneration } from "../aws/secrets-manager.ts";
import type { QueueDefinition } from "../aws/sqs.ts";
import type { TableDefinition } from "../engine/local-table.ts";
import {
  functionOf,
  type LocalMapping,
  type LocalSchedule,
  type LocalStreamMapping,
  type ResourcesOfType,
  readBuses,
  readQueueMappings,
  readSchedules,
  readStreamMappings,
} from "./event-sources.ts";
import { type LocalAddresses, localNames, operationOf, physicalName, resolveValue } from "./references.ts";

/** A function of the stack: its name, the folder of its build, and its local settings. */
export interface LocalFunction {
  name: string;
  directory: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
}

/** A route of the HTTP API, such as `GET /api/v1/health` or `$default`, and the function it leads to. */
export interface LocalRoute {
  routeKey: string;
  functionName: string;
}

/** The permissions of browsers on other origins, in the form of the HTTP API's `CorsConfiguration`. */
export interface CorsRules {
  AllowOrigins: string[];
  AllowMethods: string[];
  AllowHeaders: string[];
  ExposeHeaders: string[];
  /** Seconds. */
  MaxAge: number;
}

/** The stack as plain values with local names. */
export interface LocalStack {
  routes: LocalRoute[];
  functions: LocalFunction[];
  queues: QueueDefinition[];
  mappings: LocalMapping[];
  streamMappings: LocalStreamMapping[];
  schedules: LocalSchedule[];
  buses: { names: string[]; rules: BusRule[] };
  /** The functions that a deploy calls, in the template's order. */
  triggers: string[];
  table: { name: string; definition: TableDefinition };
  secrets: { name: string; generation: SecretGeneration }[];
  cors: CorsRules;
}

type Properties = Record<string, unknown>;

/** Reads a synthesised template. `builds` contains a folder for each function. */
export function readStack(template: Template, builds: string, place: LocalAddresses): LocalStack {
  const resources = template.Resources;
  const names = localNames(resources, place);
  const all: ResourcesOfType = (type) =>
    Object.entries(resources)
      .filter(([, resource]) => resource.Type === type && !isOfTheCdk(resource))
      .map(([id, resource]) => ({
        name: physicalName(id, resource),
        id,
        properties: resolveValue(resource.Properties ?? {}, names) as Properties,
      }));

  const table = all("AWS::DynamoDB::GlobalTable")[0];
  if (!table) throw new Error("The template has no table.");
  const integrations = all("AWS::ApiGatewayV2::Integration");

  return {
    functions: all("AWS::Lambda::Function").map(({ name, properties }) => ({
      name,
      directory: join(builds, name),
      environment: variables(properties),
      timeoutSeconds: Number(properties.Timeout),
      memoryMegabytes: Number(properties.MemorySize),
    })),
    routes: all("AWS::ApiGatewayV2::Route").map(({ properties }) => {
      const id = String(properties.Target).split("/").at(-1);
      const integration = integrations.find((each) => each.id === id);
      return {
        routeKey: String(properties.RouteKey),
        functionName: functionOf(String(integration?.properties.IntegrationUri)),
      };
    }),
    mappings: readQueueMappings(all),
    streamMappings: readStreamMappings(all),
    schedules: readSchedules(all),
    buses: readBuses(all),
    queues: all("AWS::SQS::Queue").map(({ name, properties }) => ({ name, attributes: queueAttributes(properties) })),
    triggers: all("Custom::Trigger").map(({ properties }) => functionOf(String(properties.HandlerArn))),
    table: { name: table.name, definition: table.properties as TableDefinition },
    secrets: all("AWS::SecretsManager::Secret").map(({ name, properties }) => ({
      name,
      generation: properties.GenerateSecretString as SecretGeneration,
    })),
    cors: all("AWS::ApiGatewayV2::Api")[0]?.properties.CorsConfiguration as CorsRules,
  };
}

/** The CDK's own functions carry out a deploy. The machine does that itself. */
function isOfTheCdk({ Type, Properties = {} }: TemplateResource): boolean {
  return Type === "AWS::Lambda::Function" && operationOf(Properties) === undefined;
}

function variables(properties: Properties): Record<string, string> {
  const { Variables } = properties.Environment as { Variables: Properties };
  return Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, String(value)]));
}

const queueAttributeNames = ["VisibilityTimeout", "MessageRetentionPeriod", "RedrivePolicy"];

function queueAttributes(properties: Properties): Record<string, string> {
  const given = queueAttributeNames.filter((name) => properties[name] !== undefined);
  const text = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  return Object.fromEntries(given.map((name) => [name, text(properties[name])]));
}
