import { setTimeout as pause } from "node:timers/promises";
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  paginateDescribeLogGroups,
  StartQueryCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { paginateGetParameterHistory, SSMClient } from "@aws-sdk/client-ssm";
import { chunksOf } from "../../../shared/run/batches.ts";
import { functions } from "../../functions/functions.ts";
import { type ReleaseManifest, readManifest } from "../../functions/release.ts";
import { withClient } from "../../runtime/aws/with-client.ts";
import { isOf, type LogLine, readLine } from "../../runtime/log-lines.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";
import { orUndefined } from "../aws/aws-faults.ts";

/** CloudWatch's limits for one query: log groups and lines. */
const most = { groups: 50, lines: 10_000 };
/** CloudWatch answers a query within some seconds; each look is a call. */
const pauseMs = 500;

type LogGroups = ReadonlyMap<string, string>;

/**
 * The lines of a request in a stage's logs of the last hours: those of its functions and of API Gateway, and Lambda's
 * own on failed calls. CloudWatch bills the data it scans, $0.005 a GB.
 */
export async function findDeployedLines(stage: string, requestId: string, hours: number): Promise<LogLine[]> {
  return withClient(new CloudWatchLogsClient({}), async (client) => {
    const groups = await findGroups(client, stage);
    const search = (text: string) => searchFor(client, groups, text, hours);
    const lines = (await search(requestId)).filter((line) => isOf(line, requestId));
    const calls = lines
      .map(({ fields }) => fields.lambda_request_id)
      .filter((id) => typeof id === "string" && id !== "-");
    const ofCalls = await Promise.all(calls.map((id) => search(String(id))));
    return [...lines, ...ofCalls.flat().filter(({ fields }) => fields.record !== undefined)];
  });
}

/** The releases of a stage; empty if none is stored. */
export async function findReleases(stage: string): Promise<ReleaseManifest[]> {
  const releases: ReleaseManifest[] = [];
  const read = withClient(new SSMClient({}), async (client) => {
    const pages = paginateGetParameterHistory({ client }, { Name: namesOf(stage).release });
    for await (const { Parameters = [] } of pages)
      releases.push(...Parameters.map(({ Value = "" }) => readManifest(Value)));
  });
  await orUndefined(read);
  return releases;
}

/** The groups that exist, because CloudWatch refuses a query that names another. */
async function findGroups(client: CloudWatchLogsClient, stage: string): Promise<LogGroups> {
  const { accessLogs } = namesOf(stage);
  const known = new Map(Object.keys(functions).map((name) => [`/aws/lambda/${functionNameOf(stage, name)}`, name]));
  known.set(accessLogs, "API Gateway");
  const found = new Map<string, string>();
  for (const logGroupNamePrefix of [`/aws/lambda/${functionNameOf(stage, "")}`, accessLogs]) {
    for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, { logGroupNamePrefix })) {
      for (const { logGroupName: name = "" } of logGroups) {
        const source = known.get(name);
        if (source !== undefined) found.set(name, source);
      }
    }
  }
  return found;
}

async function searchFor(
  client: CloudWatchLogsClient,
  groups: LogGroups,
  text: string,
  hours: number,
): Promise<LogLine[]> {
  const endTime = Math.ceil(Date.now() / 1000);
  const pattern = text.replaceAll(/[^\w]/g, (each) => `\\${each}`);
  const queryString = `fields @timestamp, @log, @message | filter @message like /${pattern}/ | sort @timestamp asc | limit ${most.lines}`;
  const parts = chunksOf([...groups.keys()], most.groups).map(async (logGroupNames) => {
    const span = { startTime: endTime - hours * 3600, endTime };
    const { queryId } = await client.send(new StartQueryCommand({ logGroupNames, queryString, ...span }));
    return resultsOf(client, queryId ?? "");
  });
  const rows = (await Promise.all(parts)).flat();
  return rows.map((row) => {
    const source = [...groups].find(([name]) => row["@log"]?.endsWith(name))?.[1] ?? "unknown";
    return readLine(row["@message"] ?? "", { source, at: Date.parse(`${row["@timestamp"]?.replace(" ", "T")}Z`) });
  });
}

async function resultsOf(client: CloudWatchLogsClient, queryId: string): Promise<Record<string, string>[]> {
  for (;;) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === "Complete") {
      return results.map((row) => Object.fromEntries(row.map(({ field = "", value = "" }) => [field, value])));
    }
    if (status !== "Running" && status !== "Scheduled") throw new Error(`CloudWatch ended the search: ${status}`);
    await pause(pauseMs);
  }
}
