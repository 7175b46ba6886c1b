import { CloudFormationClient, ListStackResourcesCommand } from "@aws-sdk/client-cloudformation";
import { readWholeTemplate, type TemplateResource } from "../../../../infra/whole-template.ts";

/** What keeps data, or an address that others know: a deploy may replace none of it. */
const keptTypes = /::(GlobalTable|Secret|Api|EventBus|EmailIdentity|ConfigurationSet)$/;
/** Properties that name a resource in AWS; a second one of the name is refused. */
const nameProperties = ["RouteKey", "AlarmName", "FunctionName", "LogGroupName", "TableName", "DashboardName", "Name"];

/** The names in AWS of what a deployed stack keeps, by logical id. */
export async function readKept(StackName: string): Promise<Record<string, string>> {
  const client = new CloudFormationClient();
  const { StackResourceSummaries = [] } = await client.send(new ListStackResourcesCommand({ StackName }));
  client.destroy();
  const kept = StackResourceSummaries.filter(({ ResourceType = "" }) => keptTypes.test(ResourceType));
  return Object.fromEntries(
    kept.map(({ LogicalResourceId = "", PhysicalResourceId = "" }) => [LogicalResourceId, PhysicalResourceId]),
  );
}

/**
 * The names that resources of one synthesis of a stack have in AWS and that another one gives to resources with other ids:
 * CloudFormation would make those first, and find the names taken.
 */
export function findConflicts(stackName: string, before: string, after: string): string[] {
  const [old, next] = [before, after].map((folder) =>
    namesIn(readWholeTemplate(folder, `${stackName}.template.json`).template.Resources),
  );
  return [...(next ?? [])].filter(([name, id]) => old?.has(name) && old.get(name) !== id).map(([name]) => name);
}

/** The id of each resource that has a fixed name, by its type and name. */
function namesIn(resources: Readonly<Record<string, TemplateResource>>): Map<string, string> {
  return new Map(
    Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) =>
      nameProperties.flatMap((property) => {
        const name = Properties[property];
        return typeof name === "string" ? [[`${Type} ${name}`, id] as const] : [];
      }),
    ),
  );
}
