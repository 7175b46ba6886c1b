import { beforeEach, expect, test } from "vitest";
import { functions } from "../../../infra/functions/functions.ts";
import { functionNameOf, namesOf } from "../../../infra/stages/names.ts";
import { explain } from "../../../infra/tools/explain.ts";
import { type FakeAnswer, useFakeAws } from "../fake-aws.ts";
import { runProgram } from "../machine.ts";

const aws = useFakeAws();
const id = "r-1=";
const prefix = functionNameOf("dev", "");
const { accessLogs } = namesOf("dev");
const groups = Object.keys(functions).map((name) => `/aws/lambda/${prefix}${name}`);

type Row = readonly [time: string, group: string, message: object | string];

/** The lines that CloudWatch finds by what is looked for. */
const found: Readonly<Record<string, readonly Row[]>> = {
  "r\\-1\\=": [
    ["10:00:00.500", accessLogs, { request_id: id, status: 500, source_ip: "192.0.2.1", lambda_request_id: "-" }],
    [
      "10:00:00.250",
      `/aws/lambda/${prefix}list-jobs`,
      {
        level: "error",
        message: "fault",
        request_id: id,
        lambda_request_id: "call-1",
        // Of a function that is no longer there, so that nothing is built.
        stack: "at x (/var/task/list-rota.0123456789ab.cjs:1:99)",
      },
    ],
    ["10:00:00.000", `/aws/lambda/${prefix}get-job`, { request_id: "another", text: id }],
  ],
  "call\\-1": [
    ["10:00:00.100", `/aws/lambda/${prefix}list-jobs`, { message: "only names it", id: "call-1" }],
    [
      "10:00:00.600",
      `/aws/lambda/${prefix}list-jobs`,
      {
        type: "platform.runtimeDone",
        record: { requestId: "call-1", status: "error", errorType: "Runtime.OutOfMemory", metrics: {} },
      },
    ],
  ],
};

interface Query {
  readonly logGroupNames: readonly string[];
  readonly queryString: string;
  readonly startTime: number;
  readonly endTime: number;
}

let queries: Query[];
/** The states of the searches to come, before they are complete. */
let states: string[];

beforeEach(() => {
  queries = [];
  states = ["Scheduled", "Running"];
  aws.answers = {
    DescribeLogGroups: ({ logGroupNamePrefix = "" }) => {
      const names = [...groups, `/aws/lambda/${prefix}removed`, accessLogs, `${accessLogs}-old`];
      const own = names.filter((name) => name.startsWith(logGroupNamePrefix));
      return { json: { logGroups: own.map((logGroupName) => ({ logGroupName })) } };
    },
    StartQuery: (sent) => {
      queries.push(sent as unknown as Query);
      return { json: { queryId: String(queries.length - 1) } };
    },
    GetQueryResults: ({ queryId }) => resultsOf(queries[Number(queryId)]),
  };
});

function resultsOf(query: Query | undefined): FakeAnswer {
  const status = states.shift();
  if (status) return { json: { status } };
  const [, text = ""] = /like \/(.*?)\//.exec(query?.queryString ?? "") ?? [];
  const rows = found[text]?.filter(([, group]) => query?.logGroupNames.includes(group));
  const results = rows?.map(([time, group, message]) =>
    Object.entries({
      "@timestamp": `2026-10-01 ${time}`,
      "@log": `000000000000:${group}`,
      "@message": JSON.stringify(message),
    }).map(([field, value]) => ({ field, value })),
  );
  return { json: { status: "Complete", results } };
}

const run = (...parameters: string[]) => runProgram(() => explain(["--stage", "dev", ...parameters], "nowhere"));

test("a stage's story has the lines of the request, and Lambda's own on its failed calls", async () => {
  const { code, out } = await run("--request", id);
  expect([code, out.trimEnd().split("\n")]).toEqual([
    0,
    [
      "10:00:00.250  list-jobs    error fault lambda_request_id=call-1",
      "    at x (/var/task/list-rota.0123456789ab.cjs:1:99)",
      "10:00:00.500  API Gateway  request status=500 lambda_request_id=-",
      "10:00:00.600  list-jobs    platform.runtimeDone status=error errorType=Runtime.OutOfMemory lambda_request_id=call-1",
      "Build 0123456789ab of list-rota is of another release, so its lines are not mapped: check out the commit that /workforce/dev/release in the Parameter Store has beside it, npm ci, and repeat.",
    ],
  ]);
  expect(queries.filter(({ queryString }) => queryString.includes("like /\\-/"))).toEqual([]);
});

test("the logs of every function and of API Gateway are searched, no more than CloudWatch takes at a time, of the last day", async () => {
  await run("--request", id);
  const first = queries.filter(({ queryString }) => queryString.includes("r\\-1\\="));
  expect(first.flatMap(({ logGroupNames }) => logGroupNames).toSorted()).toEqual([...groups, accessLogs].toSorted());
  for (const { logGroupNames, queryString, startTime, endTime } of queries) {
    expect(logGroupNames.length).toBeLessThanOrEqual(50);
    expect(queryString).toMatch(/ \| sort @timestamp asc \| limit 10000$/);
    expect(Math.abs(endTime - Date.now() / 1_000)).toBeLessThan(60);
    expect(endTime - startTime).toBe(86_400);
  }
  queries = [];
  await run("--request", id, "--hours", "0.5");
  expect(queries[0] && queries[0].endTime - queries[0].startTime).toBe(1_800);
});

test("a request that the logs do not hold, and a search that CloudWatch ends, end with 1", async () => {
  expect(await run("--request", "none")).toMatchObject({ code: 1, out: "The logs hold nothing of that request.\n" });
  states = ["Failed"];
  expect(await run("--request", id)).toMatchObject({ code: 1, err: "CloudWatch ended the search: Failed\n" });
});
