import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { shellBlocksOf } from "./shell-commands.ts";

const [helpers = ""] = shellBlocksOf("Before you begin");
const hasJq = spawnSync("jq", ["--version"]).status === 0;

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
  const [change = ""] = /^ *perl .*$/m.exec(shellBlocksOf("Again").join("")) ?? [];
  expect(run(`cd ${folder} && ${change}`).status).toBe(0);
  expect(readFileSync(join(folder, file), "utf8").match(/authenticated\(.* => \{\n {2}throw new Error/g)).toHaveLength(
    1,
  );
});

test.skipIf(!hasJq).each([
  ["on", ["--no-enabled", '"DISABLED"', "disable-alarm-actions"]],
  ["off", ["--enabled", '"ENABLED"', "enable-alarm-actions"]],
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
    *list-stack-resources*) ;;
    *) echo "$@" | tr -d ' \n' ;;
  esac; }; xargs() { shift 2; "$@" $(cat); }`;
  const { stdout } = run(`${aws}\n${paste.replace("frozen=on", `frozen=${frozen}`)}`);
  for (const word of [`frozen=${frozen}`, ...words]) expect(stdout).toContain(word);
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
