import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { functions as rows } from "../../infra/functions/functions.ts";
import { localCredentials } from "../../infra/local/aws/local-credentials.ts";
import { type HttpService, readBody, startHttpService } from "../../infra/local/http-service.ts";
import { stages } from "../../infra/stages/stages.ts";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { rollback } from "../../infra/tools/rollback.ts";
import { ownedStage } from "../infra/stages/owned-stage.ts";
import { makeDirectory } from "../support/service/local-machine.ts";
import { runTool } from "./machine.ts";

const functions = Object.entries(rows)
  .flatMap(([name, { canary }]) => (canary ? [name] : []))
  .toSorted();
const lastWeek = "2026-06-01T08:00:00.000+0000";
const anHourBefore = "2026-06-08T07:00:00.000+0000";
const today = "2026-06-08T08:00:00.000+0000";
const soonAfter = "2026-06-08T08:07:00.000+0000";

interface Alias {
  FunctionVersion: string;
  RevisionId: string;
  RoutingConfig?: { AdditionalVersionWeights: Record<string, number> };
}

/** The aliases and versions of an account, as Lambda answers for them. */
const lambda = { aliases: new Map<string, Alias>(), versions: new Map<string, object[]>(), moved: [] as string[] };
const directory = makeDirectory();
let server: HttpService;

beforeAll(async () => {
  const file = join(directory.path, "stages.json");
  writeFileSync(file, JSON.stringify({ prod: ownedStage("prod"), dev: stages.dev }));
  server = await startHttpService(async (request, response) => {
    const answer = await answerOf(request);
    response.writeHead(answer.status, { "content-type": "application/json", "x-amzn-errortype": answer.error ?? "" });
    response.end(JSON.stringify(answer.body));
  });
  vi.stubEnv("WORKFORCE_STAGES", file);
  vi.stubEnv("AWS_REGION", "eu-west-2");
  vi.stubEnv("AWS_ACCESS_KEY_ID", localCredentials.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", localCredentials.secretAccessKey);
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${server.port}`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  directory.remove();
});
beforeEach(() => {
  lambda.moved = [];
  for (const name of functions) release(name, [lastWeek, today]);
});

test("all functions of the last release go back to the version before, and it says how the cure is deployed", async () => {
  const { code, out } = await run("--stage", "prod");
  expect(code).toBe(0);
  expect(lambda.moved.toSorted()).toEqual(functions);
  expect(new Set([...lambda.aliases.values()].map(({ FunctionVersion }) => FunctionVersion))).toEqual(new Set(["1"]));
  expect(out).toContain("sign-in: went from version 2 to 1\n");
  expect(out).toContain("npx cdk deploy -c stage=prod -c release=now");
  expect(out).not.toContain("canary");
});

test("with --dry-run it says the same of what would be, and moves nothing", async () => {
  const { code, out } = await run("--stage", "prod", "--dry-run");
  expect({ code, moved: lambda.moved }).toEqual({ code: 0, moved: [] });
  for (const name of functions) expect(out).toContain(`${name}: would go from version 2 to 1\n`);
});

test("a function that the last release did not change stays: its version before is not the release before", async () => {
  release("list-jobs", [lastWeek, lastWeek]);
  release("sign-in", [lastWeek, soonAfter]);
  const { out } = await run("--stage", "prod");
  expect(lambda.moved).not.toContain("list-jobs");
  expect(lambda.moved).toHaveLength(functions.length - 1);
  expect(out).toContain("list-jobs: stays at version 2");
});

test("a release belongs to the last one if it came less than an hour before", async () => {
  release("list-jobs", [lastWeek, anHourBefore]);
  release("sign-in", [lastWeek, "2026-06-08T07:00:01.000+0000"]);
  const { out } = await run("--stage", "prod");
  expect(lambda.moved).toHaveLength(functions.length - 1);
  expect(out).toContain("list-jobs: stays at version 2");
});

test("a canary that is under way ends with the version before taking all calls", async () => {
  release("sign-in", [lastWeek, today], { live: "1", weights: { "2": 0.1 } });
  const { out } = await run("--stage", "prod", "--function", "sign-in");
  expect(lambda.moved).toEqual(["sign-in"]);
  expect(lambda.aliases.get("sign-in")).toEqual({
    FunctionVersion: "1",
    RevisionId: "next",
    RoutingConfig: { AdditionalVersionWeights: {} },
  });
  expect(out).toContain("sign-in: went from version 2 to 1");
  expect(out).toMatch(/^A canary is under way, .*: stop it as "Roll back" in infra\/RUNBOOK\.md says\.$/m);
});

test("an alias that somebody else moved meanwhile is not moved", async () => {
  lambda.aliases.set("sign-in", { FunctionVersion: "2", RevisionId: "stale" });
  await expect(run("--stage", "prod", "--function", "sign-in")).rejects.toThrow("RevisionId");
});

test("where no version before is left, it ends with 1 and says so", async () => {
  release("sign-in", [today]);
  const { code, out } = await run("--stage", "prod");
  expect(code).toBe(1);
  expect(out).toContain("sign-in: stays at version 1, as no version before it is left");
});

test("a stage without versions, and a function without, are mistakes that say what to do", async () => {
  await expect(run("--stage", "dev")).rejects.toThrow("check out the last good commit");
  await expect(run("--stage", "prod", "--function", "sign-on")).rejects.toThrow("Did you mean sign-in?");
  await expect(run()).rejects.toThrow(UsageError);
});

const run = (...parameters: string[]) => runTool(() => rollback(parameters));

/** A function with a version for each moment at which it was released; the alias leads to the newest unless `changed` says which. */
function release(
  name: string,
  moments: readonly string[],
  changed: { live?: string; weights?: Record<string, number> } = {},
) {
  const versions = moments.map((LastModified, at) => ({ Version: String(at + 1), LastModified }));
  lambda.versions.set(name, [{ Version: "$LATEST", LastModified: moments.at(-1) }, ...versions]);
  lambda.aliases.set(name, {
    FunctionVersion: changed.live ?? String(moments.length),
    RevisionId: "first",
    ...(changed.weights && { RoutingConfig: { AdditionalVersionWeights: changed.weights } }),
  });
}

async function answerOf(request: IncomingMessage): Promise<{ status: number; body: object; error?: string }> {
  const [, name = ""] = /\/functions\/workforce-prod-([a-z-]+)\//.exec(request.url ?? "") ?? [];
  const alias = lambda.aliases.get(name);
  if (!alias) return { status: 404, body: { Message: "no function" }, error: "ResourceNotFoundException" };
  if (request.url?.includes("/versions")) return { status: 200, body: { Versions: lambda.versions.get(name) } };
  if (request.method === "GET") {
    // What was read is out of date at once.
    if (alias.RevisionId === "stale") alias.RevisionId = "theirs";
    return { status: 200, body: { ...alias, RevisionId: alias.RevisionId === "theirs" ? "stale" : alias.RevisionId } };
  }
  const asked = JSON.parse((await readBody(request, 10_000))?.toString() ?? "{}");
  if (asked.RevisionId !== alias.RevisionId) {
    const Message = "The RevisionId provided does not match";
    return { status: 412, body: { Message }, error: "PreconditionFailedException" };
  }
  lambda.moved.push(name);
  const { FunctionVersion, RoutingConfig } = asked;
  lambda.aliases.set(name, { FunctionVersion, RoutingConfig, RevisionId: "next" });
  return { status: 200, body: asked };
}
