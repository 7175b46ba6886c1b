import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { DynamoDBRecord } from "aws-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundleFile, hashesIn } from "../../infra/functions/bundle-places.ts";
import { root } from "../../infra/support/root.ts";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { explain } from "../../infra/tools/explain.ts";
import { requestPasswordReset } from "../../shared/contract/accounts.ts";
import { bulkUpdateTimesheets } from "../../shared/contract/finance.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { recordKey } from "../../shared/table/table.ts";
import { updateRaw } from "../support/records/items.ts";
import { callerLine, timesheetLine, userLine } from "../support/records/records.ts";
import { store } from "../support/records/store.ts";
import { readItem } from "../support/records/writes.ts";
import { eventOf, type TestRequest } from "../support/requests/call.ts";
import { loggedLines } from "../support/service/capture-logs.ts";
import { builtBundles } from "../support/service/made-stack.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { useService } from "../support/service/service.ts";
import { takeMessages } from "../support/workers/queues.ts";
import { queueEvent, storedNotifications, streamRecord } from "../support/workers/workers.ts";

const as = { id: 1, role: "admin", company_id: null } as const;
const driver = { id: 7, role: "driver", company_id: 1 } as const;
const login = "ines.marsh@example.com";
const service = useService();
const bundles = await builtBundles();
const directory = newFolder();
/** The ids of requests: to mark a timesheet, a damaged one, another, and for a pin that is sent at the second try. */
const ids = { first: "", damaged: "", third: "", pin: "" };

beforeAll(async () => {
  await store([
    callerLine(as),
    callerLine(driver, { profile_id: 70 }),
    userLine(10, { email: login }),
    ...[1, 2, 3].map((id) => timesheetLine(id, 1)),
  ]);
  const ExpressionAttributeNames = { "#record": "record" };
  const Key = { ...recordKey("TIMESHEET", 2) };
  await updateRaw({ Key, UpdateExpression: "REMOVE #record.driver", ExpressionAttributeNames });
  loggedLines.length = 0;
  await live();
  writeFileSync(join(directory, "machine.log"), loggedLines.splice(0).join(""));
});
afterAll(() => void vi.unstubAllEnvs());

async function run(name: string, event: unknown): Promise<unknown> {
  vi.stubEnv("OPERATION", name);
  vi.stubEnv("BUILD", buildOf(name));
  const { handler } = createRequire(import.meta.url)(bundleFile(bundles, name));
  return handler(event, { awsRequestId: "of-lambda" });
}

function buildOf(name: string): string {
  return hashesIn(bundles, [name])[0] ?? "";
}

async function ask(operation: Operation, request: TestRequest): Promise<string> {
  const event = await eventOf(operation, request);
  await run(operation.name, event);
  return event.requestContext.requestId;
}

/** Marks a timesheet as paid; gives the request's id, and the change as the stream delivers it. */
async function pay(id: number): Promise<[string, DynamoDBRecord]> {
  const key = recordKey("TIMESHEET", id);
  const before = await readItem(key);
  const requestId = await ask(bulkUpdateTimesheets, {
    as,
    body: { timesheet: { timesheet_ids: [id], state: "paid" } },
  });
  return [requestId, streamRecord(key, { before, after: await readItem(key) })];
}

/** Requests, and all that follows from them; in two batches of the stream, each of changes of several requests. */
async function live(): Promise<void> {
  const [first, ofFirst] = await pay(1);
  const [damaged, ofDamaged] = await pay(2);
  const [third, ofThird] = await pay(3);
  await run("notify", { Records: [ofFirst, ofDamaged] });
  await run("notify", { Records: [ofDamaged, ofThird] });
  await run("deliver-notifications", queueEvent(...(await takeMessages("NOTIFICATION_QUEUE_URL"))));
  const notifications = await storedNotifications(driver.id);
  const records = notifications.map((item) =>
    streamRecord({ pk: String(item.pk), sk: String(item.sk) }, { after: item }),
  );
  await run("notify", { Records: records });
  await run("send-pushes", queueEvent(...(await takeMessages("PUSH_QUEUE_URL"))));

  const pin = await ask(requestPasswordReset, { body: { user: { login } } });
  const messages = await takeMessages("PIN_QUEUE_URL");
  service.endpoints.failNext("SendEmail", "MailFromDomainNotVerifiedException");
  await run("deliver-pin", queueEvent(...messages));
  const again = queueEvent(...messages);
  for (const record of again.Records) record.attributes = { ...record.attributes, ApproximateReceiveCount: "2" };
  await run("deliver-pin", again);
  Object.assign(ids, { first, damaged, third, pin });
}

async function explained(...parameters: string[]): Promise<{ code: number; lines: string[] }> {
  loggedLines.length = 0;
  const code = await explain(parameters, directory);
  return { code, lines: loggedLines.splice(0).join("").trimEnd().split("\n") };
}

/** The beginning of each line of a story after its time: its writer and its words. */
function plotOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !line.startsWith("    "))
    .map((line) => line.replace(/^\S+\s+(\S+)\s+(.*?) \w+=.*$/, "$1 $2"));
}

/** The frames in this project's own code below the first line of a story with a word: their files, and the sources there. */
function framesBelow(lines: readonly string[], word: string): { file: string; source: string | undefined }[] {
  const [, stack = ""] = new RegExp(`${word}.*\\n((?: {4}.*\\n?)*)`).exec(lines.join("\n")) ?? [];
  return [...stack.matchAll(/((?:shared|functions)\/\S+?):(\d+):/g)].map(([, file = "", line]) => {
    return { file, source: readFileSync(join(root, file), "utf8").split("\n")[Number(line) - 1] };
  });
}

test("a request's story goes through the table, the stream and queues to the push, each part once", async () => {
  const { code, lines } = await explained("--request", ids.first);
  expect(code).toBe(0);
  expect(plotOf(lines)).toEqual([
    "bulk-update-timesheets answered",
    "notify error fault (of 2 requests)",
    "notify processed (of 2 requests)",
    "deliver-notifications processed",
    "notify processed (of 2 requests)",
    "send-pushes processed",
  ]);
});

test("a fault in a function of the API is shown with its stack by the lines of the sources", async () => {
  const { lines } = await explained("--request", ids.damaged);
  expect(plotOf(lines)[0]).toBe("bulk-update-timesheets error fault");
  expect(framesBelow(lines, "bulk-update-timesheets")[0]).toEqual({
    file: "shared/http/answer.ts",
    source: expect.stringContaining("throw new Error("),
  });
});

test("a change that a consumer of the stream cannot take: two batches, and a throw three calls deep in shared code", async () => {
  const { lines } = await explained("--request", ids.damaged);
  const consumed = plotOf(lines).slice(1);
  const batch = ["notify error fault (of 2 requests)", "notify error quarantined", "notify processed (of 2 requests)"];
  expect(consumed).toEqual([...batch, ...batch]);
  const frames = framesBelow(lines, "quarantined");
  expect(frames[0]?.source).toContain('throw new Error("The changed item is malformed")');
  const deep = "functions/workers/notification-events.ts";
  const files = frames.slice(0, 4).map(({ file }) => file);
  expect(files).toEqual([deep, deep, deep, "functions/workers/notify.ts"]);
});

test("a change beside one that is damaged is of its own request alone", async () => {
  const { lines } = await explained("--request", ids.third);
  expect(lines.join("\n")).not.toContain(ids.damaged);
  expect(plotOf(lines)).not.toContain("notify error quarantined");
  expect(plotOf(lines)).toContain("send-pushes processed");
});

test("a message that a queue's worker failed on, and its second try", async () => {
  const { lines } = await explained("--request", ids.pin);
  expect(plotOf(lines)).toEqual([
    "request-password-reset answered",
    "deliver-pin error fault",
    "deliver-pin processed",
  ]);
  expect(lines[0]).toContain("queued=1");
  expect(lines.filter((line) => line.includes("attempt="))).toEqual([expect.stringContaining("attempt=2")]);
  expect(lines.join("\n")).toMatch(/shared\/messages\/send\.ts:\d+:\d+/);
});

test("it prints nothing of a person: logs hold no login and no name", async () => {
  for (const id of Object.values(ids)) {
    const { lines } = await explained("--request", id);
    expect(lines.join("\n")).not.toMatch(/ines|marsh|example\.com|Ada|Holt/i);
  }
});

test("a request that the log does not know ends with 1", async () => {
  expect(await explained("--request", "nothing")).toEqual({
    code: 1,
    lines: ["The logs hold nothing of that request."],
  });
});

test("a stack alone is mapped by the build that its frames name", async () => {
  const log = readFileSync(join(directory, "machine.log"), "utf8");
  const line = log.split("\n").find((each) => each.includes('"message":"quarantined"')) ?? "";
  const { stack } = JSON.parse(line);
  expect(stack).toContain(`/notify.${buildOf("notify")}.cjs:`);
  const { code, lines } = await explained(`Error: odd\n${stack}`);
  expect(code).toBe(0);
  expect(lines.slice(0, 2)).toEqual([
    "    Error: odd",
    expect.stringContaining("functions/workers/notification-events.ts:"),
  ]);
  expect((await explained(line)).lines.slice(1)).toEqual(lines.slice(1));
});

test("a build that this checkout does not give is said, and its lines stay as they are", async () => {
  const { lines } = await explained("    at x (/var/task/notify.0123456789ab.cjs:1:99)");
  expect(lines.join("\n")).toContain("/var/task/notify.0123456789ab.cjs:1:99");
  expect(lines.at(-1)).toContain("Build 0123456789ab of notify is of another release, so its lines are not mapped: ");
});

test.each([
  [],
  ["--request", "a", "stack"],
  ["--request", "a b"],
  ["--hours", "0", "--request", "a", "--stage", "dev"],
])("a call that says too little, too much or what is no id is refused: %j", async (...parameters) => {
  await expect(explain(parameters, directory)).rejects.toThrow(UsageError);
});
