import type { Template, TemplateResource } from "../../support/stack-template.ts";
import { localAccount } from "../aws/local-account.ts";
import { secretArn } from "../aws/secrets-manager.ts";
import { queueUrl } from "../aws/sqs.ts";
import { isMap } from "../filter-patterns.ts";

interface LocalNames {
  ref(logicalId: string): string;
  attribute(logicalId: string, name: string): string;
}

/** Evaluates the intrinsic functions that the stack has. Throws on any other. */
export function resolveValue(value: unknown, names: LocalNames): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveValue(each, names));
  if (!isMap(value)) return value;
  const entries = Object.entries(value);
  const [name = "", argument] = entries[0] ?? [];
  if (name === "Ref" || name.startsWith("Fn::")) return perform(name, argument, names);
  return Object.fromEntries(entries.map(([key, each]) => [key, resolveValue(each, names)]));
}

function perform(name: string, argument: unknown, names: LocalNames): unknown {
  switch (name) {
    case "Ref":
      return names.ref(String(argument));
    case "Fn::GetAtt": {
      const [id, attribute] = argument as [string, string];
      return names.attribute(id, attribute);
    }
    case "Fn::Join": {
      const [separator, parts] = argument as [string, unknown];
      return (resolveValue(parts, names) as unknown[]).join(separator);
    }
    case "Fn::Sub":
      return String(argument).replaceAll(/\$\{([^}]+)\}/g, (_, id: string) => names.ref(id));
    default:
      throw new Error(`The local machine cannot carry out ${name} in the template.`);
  }
}

export interface LocalAddresses {
  region: string;
  queueEndpoint: string;
}

/** The local name of a resource: for a function its operation, else the name in the stack, else its logical id. */
export function physicalName(logicalId: string, { Type, Properties = {} }: TemplateResource): string {
  const operation = Type === "AWS::Lambda::Function" ? operationOf(Properties) : undefined;
  if (operation !== undefined) return operation;
  const kind = Type === "AWS::DynamoDB::GlobalTable" ? "Table" : (Type.split("::").at(-1) ?? "");
  const named = Properties[`${kind}Name`] ?? Properties.Name;
  return typeof named === "string" ? named : logicalId;
}

/** The operation that a function of the service runs; undefined for any other function. */
export function operationOf(properties: NonNullable<TemplateResource["Properties"]>): string | undefined {
  const variables = (properties.Environment as { Variables?: Record<string, unknown> } | undefined)?.Variables;
  return variables?.OPERATION === undefined ? undefined : String(variables.OPERATION);
}

/** Resolves references between the stack's resources on this machine. */
export function localNames(resources: Template["Resources"], place: LocalAddresses): LocalNames {
  const pseudo: Record<string, string> = {
    "AWS::Region": place.region,
    "AWS::AccountId": localAccount,
    "AWS::Partition": "aws",
  };
  const find = (id: string) => {
    const resource = resources[id];
    if (!resource) throw new Error(`The template refers to ${id}, which it does not define.`);
    return { resource, name: physicalName(id, resource) };
  };

  const ref = (id: string): string => {
    if (pseudo[id] !== undefined) return pseudo[id];
    const { resource, name } = find(id);
    if (resource.Type === "AWS::SQS::Queue") return queueUrl(place.queueEndpoint, name);
    if (resource.Type === "AWS::SecretsManager::Secret") return secretArn(name, place.region);
    if (resource.Type === "AWS::Lambda::Version") return `${attribute(functionOfVersion(resource), "Arn")}:1`;
    return resource.Type.startsWith("AWS::ApiGatewayV2::") ? id : name;
  };

  const attribute = (id: string, attributeName: string): string => {
    const { resource, name } = find(id);
    const suffix = arnSuffixes[attributeName];
    if (suffix === undefined) throw new Error(`The local machine does not know ${attributeName} of ${id}.`);
    const service = resource.Type.split("::")[1]?.toLowerCase();
    const own = `${arnPrefixes[resource.Type] ?? ""}${name}${suffix}`;
    return `arn:aws:${service}:${place.region}:${localAccount}:${own}`;
  };
  return { ref, attribute };
}

function functionOfVersion({ Properties = {} }: TemplateResource): string {
  return (Properties.FunctionName as { Ref: string }).Ref;
}

const arnSuffixes: Readonly<Record<string, string>> = { Arn: "", StreamArn: "/stream/local" };
const arnPrefixes: Readonly<Record<string, string>> = {
  "AWS::DynamoDB::GlobalTable": "table/",
  "AWS::Lambda::Function": "function:",
  "AWS::Events::EventBus": "event-bus/",
};
