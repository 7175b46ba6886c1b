import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { namesOf, tableNameOf, tableSettings } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { orUndefined } from "../aws/aws-faults.ts";
import { type DeployTarget, type Finding, later, missing, ok } from "./finding.ts";
import { findStack } from "./stack-checks.ts";

/** A setting that a table lacks, and the options of the command that makes it. */
interface Lack {
  readonly setting: string;
  readonly command: "update-table" | "update-time-to-live" | "update-continuous-backups" | "tag-resource";
  readonly options: string;
}

/**
 * Compares the stage's table with what the stack asks of it: a restored one lacks its settings, and a deploy that imports
 * it changes none. Before the first deploy there is no table, and CloudFormation could not remove a protected one.
 */
export async function findTableSettings(place: DeployTarget): Promise<Finding> {
  const { deletionProtection } = place.stage;
  const table = tableNameOf(place.stage);
  if ((await findStack(place)) === undefined) {
    if (!deletionProtection) return ok("none at the first deploy");
    const advice = `set deletionProtection to false in ${place.file} for the first deploy, and to true for the second`;
    return missing(`A first deploy that fails cannot remove a table that is protected: ${advice}.`);
  }
  const unprotected = `Anybody with the right can delete ${table}: set deletionProtection to true and deploy again.`;
  const client = new DynamoDBClient({});
  const found = await orUndefined(client.send(new DescribeTableCommand({ TableName: table })));
  if (found?.Table === undefined)
    return missing(`There is no table ${table}: restore it, or set tableName to another.`);
  const lacks = await findLacks(client, place.stage, found.Table);
  if (lacks.length === 0) return deletionProtection ? ok(`${table} is as the stack asks`) : later(unprotected);
  const settings = lacks.map(({ setting }) => setting).join(", ");
  // The second deploy protects the table that the first one made.
  if (settings === "its protection" && place.stage.tableName === undefined) return later(unprotected);
  return missing(`${table} lacks ${settings}: run ${commandsOf(table, lacks).join(" && ")}`);
}

async function findLacks(client: DynamoDBClient, stage: Stage, found: TableDescription): Promise<Lack[]> {
  const TableName = tableNameOf(stage);
  const { timeToLive, stream } = tableSettings;
  const [{ TimeToLiveDescription: life }, { ContinuousBackupsDescription: backups }, { Tags = [] }] = await Promise.all(
    [
      client.send(new DescribeTimeToLiveCommand({ TableName })),
      client.send(new DescribeContinuousBackupsCommand({ TableName })),
      client.send(new ListTagsOfResourceCommand({ ResourceArn: found.TableArn })),
    ],
  );
  const tags = Object.entries(namesOf(stage.name).tags).filter(
    ([key, value]) => !Tags.some((each) => each.Key === key && each.Value === value),
  );
  const lacks: (Lack & { readonly isThere: boolean })[] = [
    {
      setting: "its time to live",
      command: "update-time-to-live",
      options: `--time-to-live-specification Enabled=true,AttributeName=${timeToLive}`,
      isThere: life?.AttributeName === timeToLive && /^ENABL/.test(life.TimeToLiveStatus ?? ""),
    },
    {
      setting: "its stream",
      command: "update-table",
      options: `--stream-specification StreamEnabled=true,StreamViewType=${stream}`,
      isThere: found.StreamSpecification?.StreamViewType === stream,
    },
    {
      setting: "its protection",
      command: "update-table",
      options: "--deletion-protection-enabled",
      isThere: !stage.deletionProtection || found.DeletionProtectionEnabled === true,
    },
    {
      setting: "point-in-time recovery",
      command: "update-continuous-backups",
      options: "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true",
      isThere: backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED",
    },
    {
      setting: "its tags",
      command: "tag-resource",
      options: `--resource-arn ${found.TableArn} --tags ${tags.map(([key, value]) => `Key=${key},Value=${value}`).join(" ")}`,
      isThere: tags.length === 0,
    },
  ];
  return lacks.filter(({ isThere }) => !isThere);
}

/** One command for each call: a table takes no second change while the first is made. */
function commandsOf(table: string, lacks: readonly Lack[]): string[] {
  return [...Map.groupBy(lacks, ({ command }) => command)].map(([command, own]) => {
    const name = command === "tag-resource" ? "" : `--table-name ${table} `;
    return `aws dynamodb ${command} ${name}${own.map(({ options }) => options).join(" ")}`;
  });
}
