import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as listNotifications } from "../../../functions/notifications/list-notifications.ts";
import { handler } from "../../../functions/workers/probe-release.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { type HttpService, readBody, startHttpService } from "../../../infra/local/http-service.ts";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import { listNotifications as listing } from "../../../shared/contract/notifications.ts";
import { probedOperations } from "../../../shared/releases/probe.ts";
import { useOwnUser, useSigningKey } from "../../support/records/own-user.ts";
import { notificationLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { signInAs } from "../../support/requests/sessions.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { useService } from "../../support/service/service.ts";

const secret = { login: "", password: "forty letters that a deploy made up" };
vi.mock("../../../shared/secrets.ts", async (original) => ({
  ...(await original<object>()),
  probeUser: async () => secret,
}));

useService();
useSigningKey();
const own = useOwnUser(() => ({ role: "client", financial_company_id: 700, password: secret.password }));
const load = async (name: FunctionName) => import(`../../../functions/${functions[name].area}/${name}.ts`);
const prefix = functionNameOf("full", "");
const hook = JSON.parse(readFileSync(join(root, "events/workers/probe-release.json"), "utf8"));
/** The function that is released, what its versions answer in place of their handler's answer, and what AWS was asked. */
let released = "sign-in";
let answers: Readonly<Record<string, number | "crash">> = {};
let invoked: string[] = [];
let verdicts: unknown[] = [];
let aws: HttpService | undefined;

beforeAll(async () => {
  aws = await startHttpService(async (request, response) => {
    const body = JSON.parse((await readBody(request, 100_000))?.toString() ?? "{}");
    const action = String(request.headers["x-amz-target"] ?? "").split(".")[1];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(await (action ? deploy(action, body) : invoke(request.url ?? "", body, response))));
  });
  process.env.AWS_ENDPOINT_URL = `http://127.0.0.1:${aws.port}`;
  process.env.AWS_LAMBDA_FUNCTION_NAME = `${prefix}probe-release`;
  process.env.OPERATION = "probe-release";
});
afterAll(async () => {
  for (const name of ["AWS_ENDPOINT_URL", "AWS_LAMBDA_FUNCTION_NAME"]) delete process.env[name];
  await aws?.close();
});
beforeEach(async () => {
  secret.login = own.login;
  [answers, invoked, verdicts] = [{}, [], []];
  await store([notificationLine(own.id, own.id)]);
  loggedLines.length = 0;
});

/** CodeDeploy's answer to the hook. */
function deploy(action: string, input: { status?: string }): object {
  if (action === "PutLifecycleEventHookExecutionStatus") verdicts.push(input);
  if (action === "ListDeploymentTargets") return { targetIds: [`${prefix}${released}:live`] };
  const lambdaFunctionInfo = { functionName: prefix + released, currentVersion: "7", targetVersion: "8" };
  return { deploymentTargets: [{ deploymentTargetType: "LambdaTarget", lambdaTarget: { lambdaFunctionInfo } }] };
}

/** Calls a handler as Lambda does for a version or an alias. */
async function invoke(url: string, event: object, response: { setHeader(name: string, value: string): void }) {
  const [, name = "", qualifier = ""] =
    /functions\/workforce-full-([\w-]+)\/invocations\?Qualifier=(\w+)/.exec(url) ?? [];
  invoked.push(`${name}:${qualifier}`);
  const answer = answers[qualifier === "live" ? `${name}:live` : qualifier];
  if (answer === "crash") response.setHeader("x-amz-function-error", "Unhandled");
  if (answer !== undefined) return { statusCode: answer, body: "{}" };
  const context = { awsRequestId: "lambda-request", getRemainingTimeInMillis: () => 29_000 };
  return (await load(name as FunctionName)).handler(event, context);
}

async function probe(name: string) {
  released = name;
  await handler(hook);
  const [{ deploymentId, status }] = verdicts as [{ deploymentId: string; status: string }];
  expect(deploymentId).toBe(hook.DeploymentId);
  const unproven = countedMetrics().filter((metric) => "ReleasesUnproven" in metric).length;
  return { status, unproven };
}

const passed = { status: "Succeeded", unproven: 0 };

test("every function with a canary has a probe, and no other", () => {
  const canaries = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].canary);
  expect(probedOperations.toSorted()).toEqual(canaries.toSorted());
});

describe.each(probedOperations)("a new version of %s", (name) => {
  test("that answers as it should goes on, and is the one that was asked", async () => {
    expect(await probe(name)).toEqual(passed);
    expect(invoked).toContain(`${name}:8`);
    expect(invoked.filter((each) => each.endsWith(":7"))).toEqual([]);
  });

  test.each([401, 500, "crash"] as const)("that answers %s goes back", async (answer) => {
    answers = { 8: answer };
    expect(await probe(name)).toEqual({ status: "Failed", unproven: 0 });
  });

  test("goes on if the version before fails the probe too, and is counted for an alarm", async () => {
    answers = { 8: 500, 7: 500, "sign-in:live": 401 };
    expect(await probe(name)).toEqual({ status: "Succeeded", unproven: 1 });
  });
});

test("the probe marks its notification as read, and pays nothing", async () => {
  expect(await probe("mark-notifications")).toEqual(passed);
  const { access_token } = await signInAs(own.login, secret.password);
  const listed = await call(listNotifications, listing, { headers: { authorization: `Bearer ${access_token}` } });
  expect(listed.body.notifications).toMatchObject([{ id: own.id, read_at: expect.any(String) }]);
  expect(await probe("bulk-update-timesheets")).toEqual(passed);
});

test("a probe that finds no notification to mark proves nothing, and is no fault", async () => {
  answers = { "list-notifications:live": 500 };
  expect(await probe("mark-notifications")).toEqual({ status: "Succeeded", unproven: 1 });
  expect(loggedLines.join("")).not.toContain("probe failed");
});

test("a fault of the probe itself stops no release, and is counted for an alarm", async () => {
  expect(await probe("get-health")).toEqual({ status: "Succeeded", unproven: 1 });
  expect(invoked).toEqual([]);
});

test("the runbook's lines make the probe: a client in a company of its own, with one notification", async () => {
  const [, section = ""] = readFileSync(join(root, "infra/RUNBOOK.md"), "utf8").split("### The probe of releases");
  const lines = section
    .split("\n")
    .filter((line) => line.trimStart().startsWith('{"type"'))
    .slice(0, 3);
  const parsed = lines.map((line) => JSON.parse(line.replace("PROBE-LOGIN", own.login)));
  expect(parsed.map(({ type }) => type)).toEqual(["company", "user", "notification"]);
  await store(parsed.map((line) => (line.type === "user" ? { ...line, email: `probe-${own.login}` } : line)));
  expect(parsed[1]).toMatchObject({ role: "client", financial_company_id: parsed[0].id });
});

test("no line of the probe has a password or a token", async () => {
  await probe("refresh-token");
  expect(loggedLines.length).toBeGreaterThan(0);
  expect(loggedLines.join("")).not.toMatch(new RegExp(`${secret.password}|eyJ`));
});
