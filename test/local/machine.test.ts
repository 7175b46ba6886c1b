import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { machineFile, readMachineFile } from "../../infra/local/local-aws.ts";
import { type Machine, startMachine } from "../../infra/local/machine.ts";
import { localCredentials } from "../../infra/runtime/aws/local-credentials.ts";
import { queueUrl } from "../../infra/runtime/aws/sqs.ts";
import { withClient } from "../../infra/runtime/aws/with-client.ts";
import { takeLock } from "../../infra/runtime/machine-lock.ts";
import { synthesizeAgain } from "../../infra/runtime/stack/synthesis.ts";
import { copyDemo } from "../support/service/demo-machine.ts";
import { makeDirectory } from "../support/service/local-machine.ts";

const directory = makeDirectory();
const source = join(directory.path, "stack.ts");
const templateFile = join(directory.path, "cdk.out/Workforce-local.template.json");

// One file, which the test may change, is the source of the stack.
vi.mock("../../infra/runtime/stack/synthesis.ts", async (load) => {
  const original = await load<typeof import("../../infra/runtime/stack/synthesis.ts")>();
  const synthesizeOnce = async (...given: Parameters<typeof original.synthesizeOnce>) => {
    return { ...(await original.synthesizeOnce(...given)), sources: [source] };
  };
  return { ...original, synthesizeOnce, synthesizeAgain: vi.fn() };
});

type Template = { Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }> };

const lines: string[] = [];
const began = performance.now();
let longestMs = 0;
const worked: string[] = [];
const failed: string[] = [];
const outputs: string[] = [];
let template: Template;
let machine: Machine | undefined;

beforeAll(async () => {
  await copyDemo(directory.path);
  template = JSON.parse(readFileSync(templateFile, "utf8"));
}, 120_000);
afterAll(async () => {
  await machine?.close();
  directory.remove();
});

const start = (more: { fresh?: boolean; lan?: boolean } = {}) =>
  startMachine({
    ...more,
    directory: directory.path,
    port: 0,
    onStack: (line) => lines.push(line),
    onWork({ functionName, milliseconds }) {
      worked.push(functionName);
      longestMs = Math.max(longestMs, milliseconds);
    },
    onWorkerFailure: (name) => failed.push(name),
    onRequest: ({ output }) => outputs.push(output),
  });

/** The number of this process's child processes that keep it alive. */
const countChildren = () => process.getActiveResourcesInfo().filter((each) => each === "ProcessWrap").length;
const childrenBefore = countChildren();

function isFree(): boolean {
  const release = takeLock(directory.path);
  release?.();
  return release !== undefined;
}

test("a machine whose deploy would fail does not start, and leaves its folder free", async () => {
  const HandlerArn = "arn:aws:lambda:eu-west-2:000000000000:function:nowhere";
  const Resources = { ...template.Resources, Nowhere: { Type: "Custom::Trigger", Properties: { HandlerArn } } };
  writeFileSync(templateFile, JSON.stringify({ Resources }));
  // A machine that was killed has left it.
  writeFileSync(machineFile(directory.path), "{}");
  await expect(start()).rejects.toThrow(/^nowhere, which a deploy calls, failed: The stack has no function nowhere/);
  expect([isFree(), existsSync(machineFile(directory.path))]).toEqual([true, false]);
  writeFileSync(templateFile, JSON.stringify(template));
});

test("a machine takes in a changed stack while it runs, and goes on with its work", async () => {
  machine = await start();
  expect(machine.wantsDemo).toBe(false);
  const changed = structuredClone(template);
  for (const [id, { Properties = {} }] of Object.entries(changed.Resources)) {
    if (Properties.RouteKey === "GET /api/v1/health") Properties.RouteKey = "GET /api/v1/fitness";
    if (/deliverpinQueue/.test(id)) Properties.FunctionName = "send-pushes";
  }
  vi.mocked(synthesizeAgain).mockResolvedValue({ template: changed, bundles: "", sources: [source] });
  writeFileSync(source, "changed");
  await expect.poll(() => lines.at(-1), { timeout: 10_000 }).toBe("The changed stack is in use.");
  const statusOf = async (path: string) => (await fetch(`${machine?.baseUrl}/api/v1/${path}`)).status;
  expect([await statusOf("fitness"), await statusOf("health")]).toEqual([200, 405]);
  expect(outputs[0]).toContain('"get-health"');
  // `npm run explain` reads it there.
  expect(readFileSync(join(directory.path, "machine.log"), "utf8")).toContain(outputs[0]);
  expect(readMachineFile(directory.path)?.stack).toEqual(machine.stack);
}, 60_000);

test("the documentation page has a choice of the user that it calls as", async () => {
  const page = await fetch(`${machine?.baseUrl}/docs`);
  expect(await page.text()).toContain('<div id="call-as"></div>');
});

// Linux alone answers at every address of the loopback network.
test.skipIf(process.platform !== "linux")("without lan a machine answers this computer alone", async () => {
  const { port } = new URL(machine?.baseUrl ?? "");
  await expect(fetch(`http://127.0.0.2:${port}/api/v1/fitness`)).rejects.toThrow("fetch failed");
});

test("a client of a machine has its settings, and nothing of the user's own for AWS", async () => {
  vi.stubEnv("AWS_PROFILE", "own");
  expect(await machine?.mintAccessToken({ id: 1, role: "admin", company_id: null }, 60)).toMatch(/^eyJ/);
  const { AWS_PROFILE, AWS_REGION, TABLE_NAME } = process.env;
  expect([AWS_PROFILE, AWS_REGION, TABLE_NAME]).toEqual([undefined, "eu-west-2", "workforce-local-records"]);
  const own = machine?.functionEnvironment("get-health");
  expect(own).toMatchObject({ OPERATION: "get-health", TABLE_NAME, AWS_REGION });
  expect(Object.keys(own ?? {})).not.toContain("PIN_QUEUE_URL");
  expect(() => machine?.functionEnvironment("nowhere")).toThrow("no function nowhere");
});

test("the log has the errors of calls", async () => {
  await expect(machine?.invoke("nowhere", {})).rejects.toThrow("no function nowhere");
  const [line = ""] = readFileSync(machine?.logFile ?? "", "utf8")
    .trim()
    .split("\n")
    .slice(-1);
  const error = expect.stringContaining("no function nowhere");
  expect(JSON.parse(line)).toMatchObject({ level: "error", operation: "nowhere", error });
});

test("before a machine ends it delivers what waits, for 3 seconds, and leaves nothing that runs", async () => {
  const { environment = {}, stack, baseUrl = "", logFile = "" } = machine ?? {};
  const endpoint = environment.AWS_ENDPOINT_URL_SQS ?? "";
  const { queueName = "" } = stack?.mappings.find((mapping) => mapping.queueName.startsWith("PinsQueue")) ?? {};
  const message = { QueueUrl: queueUrl(endpoint, queueName), MessageBody: "{}", DelaySeconds: 1 };
  const client = new SQSClient({ endpoint, region: "eu-west-2", credentials: localCredentials });
  await withClient(client, () => client.send(new SendMessageCommand(message)));
  const asked = performance.now();
  await Promise.all([machine?.close(), machine?.close()]);
  expect(performance.now() - asked).toBeLessThan(6_000);
  expect(longestMs).toBeLessThan(performance.now() - began);
  expect(worked).toContain("send-pushes");
  expect(worked).not.toContain("deliver-pin");
  expect(readFileSync(logFile, "utf8")).toContain("1 messages are still queued.");
  expect(failed).toEqual([]);
  expect([isFree(), existsSync(machineFile(directory.path))]).toEqual([true, false]);
  await expect.poll(countChildren, { timeout: 4_000 }).toBe(childrenBefore);
  for (const each of [
    baseUrl,
    endpoint,
    environment.AWS_ENDPOINT_URL_DYNAMODB ?? "",
    environment.AWS_ENDPOINT_URL_SES ?? "",
  ]) {
    await expect(fetch(each)).rejects.toThrow("fetch failed");
  }
}, 30_000);

test("a machine that starts afresh has no data of earlier starts", async () => {
  machine = await start({ fresh: true, lan: true });
  expect(machine.wantsDemo).toBe(true);
});

test.skipIf(process.platform !== "linux")("with lan the API and the desk answer other computers", async () => {
  const { port } = new URL(machine?.baseUrl ?? "");
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.2:${port}${path}`)).status;
  expect([await statusOf("/nowhere"), await statusOf("/_local/")]).toEqual([404, 200]);
});
