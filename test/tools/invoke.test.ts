import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { root } from "../../infra/support/root.ts";
import { UsageError } from "../../infra/tools/cli/command.ts";
import { fillEvent, overrideRequest, sampleFile } from "../../infra/tools/invoke/sample-event.ts";
import { invoke } from "../../infra/tools/invoke.ts";
import { operations } from "../../shared/contract/operations.ts";
import { settings } from "../../shared/run/settings.ts";
import { newFolder } from "../support/service/new-folder.ts";
import { expectMistake, runProgram, runTool, useMachine } from "./machine.ts";

const directory = useMachine();
const tool = join(import.meta.dirname, "../../infra/tools/invoke.ts");

const run = (...parameters: string[]) => runTool(() => invoke(parameters, directory));

const confirmations = ["confirm-login", "confirm-login-by-body"];
const spentTokens = {
  "refresh-token": "refresh_token_invalid",
  "set-password": "reset_token_invalid",
  "undo-change": "record_not_found",
};
const needsSecret = [...confirmations, ...Object.keys(spentTokens)];
const answeredAtOnce = operations.map(({ name }) => name).filter((name) => !needsSecret.includes(name));

// Before any other, of which a message may follow at any time.
test("what a schedule calls is invoked like any worker", async () => {
  const { code, out } = await run("rotate-signing-key");
  expect(code).toBe(0);
  expect(out).toMatch(/^processed {2}\d+ ms\n$/);
});

test.each(answeredAtOnce)("the sample event of %s succeeds on the demo data", async (name) => {
  const { code, out } = await run(name);
  expect(out).toMatch(/^200 OK {2}\d+ ms\n/);
  expect(out).toContain("content-type: application/json; charset=utf-8\n");
  expect(() => JSON.parse(out.slice(out.indexOf("\n\n")))).not.toThrow();
  expect(code).toBe(0);
});

test("the lines of the README's first table answer its eight operations, one after the other", async () => {
  const [table = ""] = readFileSync(join(root, "README.md"), "utf8").match(/^\|.*\n(?:\|.*\n)+/m) ?? [];
  const lines = [...table.matchAll(/`npm run invoke -- (.+)`/g)].map(([, words = ""]) => words.split(" "));
  expect(lines).toHaveLength(8);
  for (const words of lines) {
    // The machine's worker sends a pin while the next command starts.
    const { out } = await vi.waitFor(
      async () => {
        const answer = await run(...words);
        expect(answer.code, answer.out).toBe(0);
        return answer;
      },
      { timeout: 10_000, interval: 500 },
    );
    expect(out, words.join()).toMatch(/^200 OK/);
  }
});

test("deliver-pin sends the pin of its sample event", async () => {
  const { code, out } = await run("deliver-pin");
  expect(code).toBe(0);
  expect(out).toMatch(/^1 of 1 messages processed {2}\d+ ms\n/);
  expect(out).toMatch(/email to .+\n.+ pin\n.+ pin:\s+\d{6}\n/);
});

test.each(
  confirmations,
)("%s takes the pin that request-password-reset has had sent, and gives its client the same answer again (D13)", async (name) => {
  expect((await run("request-password-reset")).code).toBe(0);
  const tokenIn = ({ code, out }: { code: number; out: string }) => {
    expect(code, out).toBe(0);
    return /"reset_password_token": "[\w-]+"/.exec(out)?.[0];
  };
  // The machine's worker sends the pin while the next command starts.
  const token = await vi.waitFor(async () => tokenIn(await run(name)), { timeout: 5_000, interval: 500 });
  expect(token).toBeDefined();
  expect(tokenIn(await run(name))).toBe(token);
});

test.each(
  Object.entries(spentTokens),
)("the token or change in the sample event of %s is nobody's: refused as %s", async (name, code) => {
  expect(await run(name)).toMatchObject({ code: 1, out: expect.stringContaining(`"code": "${code}"`) });
});

const failing = { Records: [{ messageId: "m-1", body: "{}", eventSource: "aws:sqs" }] };

test.each<[string, string[], RegExp]>([
  ["a refusal", ["refuse-unrouted"], /^405 Method Not Allowed/],
  ["a bad request", ["sign-in", "--body", "{"], /^400 Bad Request/],
  ["the token of another user by --as", ["list-invoices", "--as", demoUsers.driver.login], /^403 Forbidden/],
  ["a failed message", ["deliver-pin", "--event", eventFile(failing)], /^0 of 1 messages processed/],
])("%s is printed like any answer, and ends with 1", async (_, parameters, out) => {
  expect(await run(...parameters)).toMatchObject({ code: 1, out: expect.stringMatching(out) });
});

test("the handler's log lines go to standard error alone", async () => {
  const { out, err } = await run("get-health");
  expect(err).toContain('"message":"answered"');
  expect(out).not.toContain('"message":"answered"');
  expect(err).not.toContain("\x1b");
});

test.each([
  ["request-password-reset", "recoveryDisclosure", "infra/functions/functions.ts"],
  ["notify-password-changed", "serviceName", "infra/functions/worker-rows.ts"],
] as const)("a setting that the row of %s lacks is missing, and it says where that row is", async (name, read, file) => {
  const reader = vi.spyOn(settings, read).mockImplementation(() => String(settings.historyDays()) as never);
  const { code, err } = await run(name).finally(() => reader.mockRestore());
  expect(code, err).toBe(1);
  expect(err).toContain("The setting HISTORY_DAYS is missing");
  expect(err).toContain(`${name} gets the settings that its row in ${file} names`);
});

test("an event that asks for what nobody can fill in is a mistake that lists what can be", async () => {
  const sample = JSON.parse(readFileSync(sampleFile("list-invoices"), "utf8"));
  const file = eventFile({ ...sample, headers: { authorization: "{{passport}}" } });
  await expect(run("list-invoices", "--event", file)).rejects.toThrow(/\{\{passport\}\}.+\{\{token\}\}/);
});

test("--query, --body and --path change the request of the sample event, in each place that says it", async () => {
  const paid = await run("list-invoices", "--query", "by_state=paid&per_page=1");
  expect(paid.out).toContain('"state": "paid"');
  expect(paid.out).not.toContain('"state": "pending"');
  expect(paid.out).toMatch(/^link: .*by_state=paid&per_page=1/m);
  const none = await run("list-invoices", "--query", "");
  expect(none.out).toContain('"state": "overdue"');
  const job = await run("get-job", "--path", "id=2", "--as", demoUsers.admin.login);
  expect(job.out).toContain('"id": 2,');
  const body = JSON.stringify({ job: { job_ids: [3], timer: 0 } });
  const adjusted = await run("adjust-job-timers", "--body", body);
  expect(adjusted.out).toContain('"id": 3,');
});

test.each<[string, string[], string]>([
  ["a place that the path lacks", ["get-job", "--path", "job=2"], "name one of id as name=value"],
  ["a path without places", ["list-invoices", "--path", "id=2"], "the path has none"],
  ["a query of what no request calls", ["deliver-pin", "--query", "page=2"], "deliver-pin takes none"],
])("%s is a mistake, in one line", async (_, parameters, said) => {
  await expectMistake(run(...parameters), said);
});

test("an event's places are filled in: the times, and the session of the token", () => {
  const token = `x.${Buffer.from('{"sid":"s-1"}').toString("base64url")}.y`;
  const text = JSON.stringify({ a: "{{now}} {{in_10_minutes}} {{session}} {{token}} {{pin}}" });
  expect(fillEvent(text, { token, pin: "123456" }, new Date(0))).toEqual({
    a: `1970-01-01T00:00:00.000Z 1970-01-01T00:10:00.000Z s-1 ${token} 123456`,
  });
  expect(() => fillEvent('{"a":"{{constructor}}"}', {})).toThrow(UsageError);
});

test("a changed request has its own content type, and the length of no other body", () => {
  const event = JSON.parse(readFileSync(sampleFile("sign-in"), "utf8"));
  const typed = { ...event, headers: { "content-type": "text/plain", "content-length": "2" } };
  const changed = overrideRequest(typed, { query: "?a=1&a=2", body: "{}" });
  expect(changed).toMatchObject({ rawQueryString: "a=1&a=2", queryStringParameters: { a: "1,2" } });
  expect(changed).toMatchObject({ headers: { "content-type": "text/plain" }, body: "{}", isBase64Encoded: false });
  expect(changed.headers).not.toHaveProperty("content-length");
  const job = JSON.parse(readFileSync(sampleFile("get-job"), "utf8"));
  expect(overrideRequest(job, { path: ["id=2"] })).toMatchObject({
    rawPath: "/api/v1/jobs/2",
    requestContext: { http: { path: "/api/v1/jobs/2" } },
  });
  expect(overrideRequest({ ...event, headers: {} }, { body: "{}" }).headers["content-type"]).toBe("application/json");
});

test.each([[[]], [null], [7]])("an event of %j is not a JSON object", async (event) => {
  const file = eventFile(event);
  await expectMistake(run("list-invoices", "--event", file), `The event in ${file} is not a JSON object`);
  await expectMistake(run("list-invoices", "--event", `${file}s`), "The event cannot be read: ENOENT");
});

test.each<[string, object, string]>([
  ["list-invoices", {}, "list-invoices takes an event like its sample in events/, and this one has no rawPath."],
  ["deliver-pin", { Records: [] }, "this one has no Records[].messageId."],
  [
    "deliver-pin",
    { Records: [{ messageId: "m-1", body: "{}", eventSource: "aws:sqs" }, { messageId: "m-2" }] },
    "this one has no Records[].body.",
  ],
  ["mark-overdue", {}, "this one has no detail-type."],
])("%s says in one sentence that an event is of another kind", async (name, event, said) => {
  await expectMistake(run(name, "--event", eventFile(event)), said);
});

test("a login that no user has is a mistake that names it", async () => {
  for (const name of ["list-invoices", "get-health"])
    await expectMistake(run(name, "--as", "nobody@demo.example"), "nobody@demo.example");
});

test("an unknown operation ends with 2, and hears of the nearest and of all", async () => {
  const { code, err } = await runProgram(() => invoke(["lst-invoices"], directory));
  expect(code).toBe(2);
  expect(err).toContain("Did you mean list-invoices?");
  for (const { name } of operations) expect(err).toContain(name);
  await expect(invoke(["get-job", "list-jobs"], directory)).rejects.toThrow("Name one operation");
});

test("an event from standard input that is not JSON ends with 2 and says where", () => {
  const options = { input: '{"version": "2.0",,}', encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [tool, "list-invoices", "--event", "-"], options);
  expect(status).toBe(2);
  expect(stderr).toMatch(/standard input is not JSON: .+ \(line 1 column 19\)/);
});

function eventFile(event: unknown): string {
  const folder = newFolder();
  const file = join(folder, "event.json");
  writeFileSync(file, JSON.stringify(event));
  return file;
}
