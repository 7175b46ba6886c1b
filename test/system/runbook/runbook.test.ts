import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { awsCommandsIn, readPage, runbookText, shellBlocksOf } from "./shell-commands.ts";

const runbook = runbookText();
const commands = awsCommandsIn(runbook);
const [helpers = ""] = shellBlocksOf("Before you begin");
const hasJq = spawnSync("jq", ["--version"]).status === 0;
const patterns = [...runbook.matchAll(/ask '[^']*@message like \/(.+?)\/ \|/g)].map(([, pattern = ""]) => pattern);

const platform = (type: string, record: object) =>
  JSON.stringify({ time: "2026-06-01T08:00:00.000Z", type, record: { requestId: "a", ...record } });

/** Lambda's own lines in its JSON format, at the levels WARN and above (its developer guide, "System log level event mapping"). */
const failures: readonly (readonly [string, string])[] = [
  ["a timeout", platform("platform.report", { status: "timeout", metrics: { durationMs: 20_000 } })],
  ["a timeout, in words", "2026-06-01T08:00:20.000Z a Task timed out after 20.00 seconds"],
  ["a crash", platform("platform.runtimeDone", { status: "error", errorType: "Runtime.ExitError" })],
  ["a process out of memory", platform("platform.report", { status: "error", errorType: "Runtime.OutOfMemory" })],
  ["a start that failed", platform("platform.initReport", { status: "error", phase: "init" })],
  ["a call that threw", platform("platform.report", { status: "failure" })],
];

test("no command has a secret in it, as shells keep a history of commands", () => {
  const values = commands.flatMap((command) => {
    const at = command.findIndex((word) => /^--(secret-string|secret-binary|password|plaintext)$/.test(word));
    return at < 0 ? [] : [command[at + 1]];
  });
  expect(values.length).toBeGreaterThan(1);
  expect(new Set(values)).toEqual(new Set(["file:///dev/stdin"]));
});

test("a restore is one of AWS Backup, by the stack's own role, and waits as long as it takes", () => {
  const restore = commands.find(([service, operation]) => service === "backup" && operation === "start-restore-job");
  expect(restore?.join(" ")).toMatch(/--iam-role-arn arn:aws:iam::\S+:role\/workforce-\S+-restore/);
  expect(runbook).not.toMatch(/restore-table-from-backup|wait table-exists/);
});

test("no command waits for a long call, which networks cut off and the CLI then repeats", () => {
  const invoking = [...runbook.matchAll(/aws lambda invoke [^\n`]*/g)].map(([command]) => command);
  const waiting = invoking.filter((command) => !command.includes("--invocation-type Event"));
  expect(waiting.length).toBeLessThan(invoking.length);
  // A key is made in seconds, and whoever replaces one that leaked has to see that it is there.
  for (const command of waiting) expect(command).toContain("rotate-signing-key");
});

test("the runbook's queries for Lambda's own lines find timeouts, crashes and failed starts", () => {
  expect(patterns).toHaveLength(1);
  for (const pattern of patterns) {
    for (const [name, line] of failures) expect(new RegExp(pattern).test(line), `${pattern}: ${name}`).toBe(true);
  }
});

test("they find no line of a call that went well", () => {
  const line = { level: "info", message: "answered", operation: "sign-in", status: 200, request_id: "error" };
  for (const pattern of patterns) expect(new RegExp(pattern).test(JSON.stringify(line))).toBe(false);
});

test.each([
  ["of which the credentials have expired", "return 255", "", ""],
  ["that CloudWatch ends", answersWith("Scheduled Running Timeout"), "", "the query has no result: Timeout"],
  ["of which an answer is refused", answersWith("Running"), "", "the query has no result: no answer"],
])("a query %s ends, and says so by its code", (_, aws, stdout, stderr) => {
  expect(run(`aws() { ${aws}; }; sleep() { :; }; ask x`)).toEqual({ status: 1, stdout, stderr });
});

test("a query that is complete prints its results", () => {
  const aws = `aws() { ${answersWith("Running Complete")}; }`;
  expect(run(`${aws}; sleep() { :; }; ask x`)).toEqual({ status: 0, stdout: "the results", stderr: "" });
});

test.skipIf(!hasJq).each([
  ["its addresses", "access '{ $.status = \"5*\" }'", ["2 203.0.113.7 GET /a 500", "1 203.0.113.8 GET /a 502"]],
  ["what is asked for", "access x '.route, .integration_error'", ["2 GET /a", "1 GET /a no right"]],
])("the access log is counted by %s, the most frequent first (needs jq)", (_, call, counted) => {
  const line = (source_ip: string, rest: object) => JSON.stringify({ source_ip, route: "GET /a", ...rest });
  const lines = [
    line("203.0.113.7", { status: "500" }),
    line("203.0.113.8", { status: "502", integration_error: "no right" }),
    line("203.0.113.7", { status: "500" }),
  ];
  const { status, stdout } = run(
    `aws() { printf '%s\\t%s\\t%s\\n' ${lines.map((each) => `'${each}'`).join(" ")}; }\n${call}`,
  );
  expect([status, ...stdout.split("\n").map((each) => each.trim().replaceAll(/\s+/g, " "))]).toEqual([0, ...counted]);
});

test("the name of a restored table is empty if the stage has none, and the region is set", () => {
  const [toSecond = "", toBackup = ""] = shellBlocksOf("Restore the table");
  for (const block of [toSecond, toBackup]) {
    const [name = ""] = block.split("\n");
    expect(run(`aws() { echo null; }; ${name}; echo "[$T]"`).stdout).toBe("[]");
    expect(run(`aws() { echo records; }; ${name}; echo "[$T] $AWS_REGION"`).stdout).toBe("[records-2] eu-west-2");
  }
});

test("the fault that is released on purpose is the first statement of its handler", () => {
  const folder = newFolder();
  const file = "functions/finance/list-invoices.ts";
  cpSync(join(root, file), join(folder, file));
  const [change = ""] =
    /^ *perl .*$/m.exec(shellBlocksOf("Deploy a release", readPage("infra/UPGRADE.md")).join("")) ?? [];
  expect(run(`cd ${folder} && ${change}`).status).toBe(0);
  expect(readFileSync(join(folder, file), "utf8").match(/authenticated\(.* => \{\n {2}throw new Error/g)).toHaveLength(
    1,
  );
});

/** The limits of an API's stage: of all routes, of health, and of one that is refused while the stage is frozen. */
const limits = {
  StageName: "$default",
  DefaultRouteSettings: { ThrottlingRateLimit: 9 },
  RouteSettings: { "GET /api/v1/health": { ThrottlingRateLimit: 5 }, "POST /a": { ThrottlingRateLimit: 7 } },
};

const open = '"GET/api/v1/health":{"ThrottlingRateLimit":5}';
const none = (name: string) => `"${name}":{"ThrottlingRateLimit":0,"ThrottlingBurstLimit":0}`;

test.skipIf(!hasJq).each([
  ["on", ["--no-enabled", '"DISABLED"', "disable-alarm-actions", none("DefaultRouteSettings"), none("POST/a"), open]],
  ["off", ["--enabled", '"ENABLED"', "enable-alarm-actions", open, '"POST/a":{"ThrottlingRateLimit":7}']],
])("a stage is frozen, and runs again, by the first line of one paste: %s (needs jq)", (frozen, words) => {
  const [paste = ""] = shellBlocksOf("Freeze a stage");
  const types = [
    "Lambda::EventSourceMapping",
    "Scheduler::Schedule",
    "CloudWatch::Alarm",
    "CloudWatch::CompositeAlarm",
  ];
  const resources = types.map((type) => `AWS::${type}\t${type.toLowerCase()}`).join("\n");
  const aws = `aws() { case "$*" in
    *PhysicalResourceId\\]*) echo "${resources}" ;;
    *get-schedule*) echo '{"Name":"daily"}' ;;
    *get-stage*) cat answer ;;
    *list-stack-resources*) ;;
    *) echo "$@" | tr -d ' \n' ;;
  esac; }; xargs() { shift 2; "$@" $(cat); }`;
  const folder = newFolder();
  const say = (word: string, answer: string) => {
    writeFileSync(join(folder, "answer"), answer);
    return run(`cd ${folder}\n${aws}\n${paste.replace("frozen=on", `frozen=${word}`)}`);
  };
  // The limits of an earlier time are not those of before.
  say("on", JSON.stringify(limits).replaceAll(/[79]/g, "1"));
  let { stdout } = say("on", JSON.stringify(limits));
  // It is frozen, and a look at it that fails loses nothing.
  for (const later of [JSON.stringify({ DefaultRouteSettings: { ThrottlingRateLimit: 0 } }), ""])
    if (frozen === "off") ({ stdout } = say("off", later));
  for (const word of words) expect(stdout).toContain(word);
  expect(stdout).toContain("cloudwatch::alarmcloudwatch::compositealarm");
});

/** The body of an `aws` that starts a query, answers each look with the next status, fails once there is none, and has results. */
function answersWith(states: string): string {
  const file = join(newFolder(), "states");
  return `case "$*" in
    *start-query*) echo id; printf '%s\n' ${states} > ${file} ;;
    *status*) head -1 ${file} | grep . && sed -i.before 1d ${file} ;;
    *) echo the results ;;
  esac`;
}

function run(script: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", `${helpers}\n${script}`], { encoding: "utf8" });
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}
