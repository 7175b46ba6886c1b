import { setTimeout as pause } from "node:timers/promises";
import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  paginateDescribeLogGroups,
  StartQueryCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { chunksOf } from "../../../shared/run/batches.ts";
import { functions } from "../../functions/functions.ts";
import { withClient } from "../../runtime/aws/with-client.ts";
import { isOf, type LogLine, readLine } from "../../runtime/log-lines.ts";
import { functionNameOf, namesOf } from "../../stages/names.ts";

/** CloudWatch's limits for one query: log groups and lines. */
const most = { groups: 50, lines: 10_000 };
/** CloudWatch answers a query within some seconds; each look is a call. */
const pauseMs = 500;

/**
 * The lines of a request in a stage's logs of the last hours: those of its functions and of API Gateway, and Lambda's
 * own on failed calls. CloudWatch bills the data it scans, $0.005 a GB.
 */
export async function findDeployedLines(stage: string, requestId: string, hours: number): Promise<LogLine[]> {
  return withClient(new CloudWatchLogsClient({}), async (client) => {
    const groups = await findGroups(client, stage);
    const search = (text: string) => searchFor(client, groups, text, hours);
    const lines = (await search(requestId)).filter((line) => isOf(line, requestId));
    const calls = new Set(lines.map(({ fields }) => String(fields.lambda_request_id ?? "-")));
    const ofCalls = await Promise.all([...calls].filter((call) => call !== "-").map(search));
    return [...lines, ...ofCalls.flat().filter(({ fields }) => fields.record !== undefined)];
  });
}

/** Log groups, and the function or other source that writes into each. */
type Groups = ReadonlyMap<string, string>;

/** Those that exist: CloudWatch refuses a query that names another. */
async function findGroups(client: CloudWatchLogsClient, stage: string): Promise<Groups> {
  const groupOf = (name: string) => `/aws/lambda/${functionNameOf(stage, name)}`;
  const { accessLogs } = namesOf(stage);
  const found = new Set<string | undefined>();
  for (const logGroupNamePrefix of [groupOf(""), accessLogs]) {
    for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, { logGroupNamePrefix }))
      for (const { logGroupName } of logGroups) found.add(logGroupName);
  }
  const sources = Object.keys(functions).map((name) => [groupOf(name), name] as const);
  return new Map([...sources, [accessLogs, "API Gateway"] as const].filter(([group]) => found.has(group)));
}

async function searchFor(client: CloudWatchLogsClient, groups: Groups, text: string, hours: number) {
  const endTime = Math.ceil(Date.now() / 1000);
  const pattern = text.replaceAll(/[^\w]/g, (each) => `\\${each}`);
  const queryString = `fields @timestamp, @log, @message | filter @message like /${pattern}/ | sort @timestamp asc | limit ${most.lines}`;
  const span = { startTime: endTime - hours * 3600, endTime };
  const parts = chunksOf([...groups.keys()], most.groups).map(async (logGroupNames) => {
    const { queryId } = await client.send(new StartQueryCommand({ logGroupNames, queryString, ...span }));
    return resultsOf(client, queryId ?? "");
  });
  return (await Promise.all(parts)).flat().map((fields) => {
    const row = Object.fromEntries(fields.map(({ field = "", value = "" }) => [field, value]));
    // Before the group's name stands the account.
    const source = groups.get(row["@log"]?.split(":").at(-1) ?? "") ?? "unknown";
    return readLine(row["@message"] ?? "", { source, at: Date.parse(`${row["@timestamp"]?.replace(" ", "T")}Z`) });
  });
}

async function resultsOf(client: CloudWatchLogsClient, queryId: string) {
  for (;;) {
    const { status, results = [] } = await client.send(new GetQueryResultsCommand({ queryId }));
    if (status === "Complete") return results;
    if (status !== "Running" && status !== "Scheduled") throw new Error(`CloudWatch ended the search: ${status}`);
    await pause(pauseMs);
  }
}
