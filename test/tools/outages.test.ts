import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { demoUsers } from "../../infra/local/demo/demo.ts";
import { patiently, withPatientTable } from "../../infra/tools/aws/patience.ts";
import { runExport } from "../../infra/tools/export.ts";
import { forget } from "../../infra/tools/forget.ts";
import { history } from "../../infra/tools/history.ts";
import { runImport } from "../../infra/tools/import.ts";
import { recountLists } from "../../infra/tools/recount.ts";
import { withService } from "../../infra/tools/service/open-service.ts";
import { recordTypes } from "../../shared/contract/records.ts";
import { Refusal } from "../../shared/contract/refusals.ts";
import { callLimits } from "../../shared/run/call-limits.ts";
import { tableClient } from "../../shared/table/table.ts";
import { jobLine } from "../support/records/records.ts";
import { useFolder } from "./export/run-export.ts";
import { runProgram, useMachine } from "./machine.ts";

const patience = vi.hoisted(() => ({ withinMs: 300_000, firstPauseMs: 1, longestPauseMs: 5 }));
vi.mock("../../shared/table/retry.ts", async (original) => {
  const real = await original<typeof import("../../shared/table/retry.ts")>();
  return { ...real, paces: { ...real.paces, tool: patience } };
});

const shown = vi.hoisted((): string[] => []);
vi.mock("../../infra/tools/cli/progress-line.ts", async (original) => {
  const real = await original<typeof import("../../infra/tools/cli/progress-line.ts")>();
  const createProgressLine = (screen: NodeJS.WriteStream) => {
    // What its timer writes depends on the machine's load.
    const line = real.createProgressLine(Object.create(screen, { write: { value: () => true } }));
    let last = () => "";
    const show = (text: () => string) => {
      last = text;
      shown.push(text());
    };
    const clear = () => void screen.write("[cleared]\n");
    const end = () => {
      shown.push(last());
      clear();
    };
    return { ...line, show, clear, end };
  };
  return { ...real, createProgressLine };
});

const directory = useMachine();
const file = useFolder();
const again = "Run the same command again.";

/** Export writes the types of records in the contract's order; infra/local/demo has records of each. */
const lastOfType = new RegExp(`^[1-9]\\d* of type ${recordTypes.at(-1)} written$`);

interface Tool {
  readonly name: string;
  readonly action: string;
  /** The last line if the table refuses for ever. */
  readonly next: string;
  readonly done: string;
  /** The progress at first and at last. */
  readonly progress: readonly [RegExp, RegExp];
  run(signal?: AbortSignal): Promise<number>;
}

const tools: Tool[] = [
  {
    name: "import",
    action: "BatchGetItem",
    next: "Stopped: no line is done. Importing the file again is safe. To go on: --from 1",
    done: "1 unchanged",
    progress: [/^0% line 0$/, /^100% line 1$/],
    run: () => runImport([file("job.jsonl")], directory),
  },
  {
    name: "export",
    action: "Scan",
    next: "There is no file. The same command begins again.",
    done: "company ",
    progress: [/^\d+% \d+ of some \d+ items read, \d+ a second$/, lastOfType],
    run: (signal) => runExport(["--out", file(`${crypto.randomUUID()}.jsonl`)], directory, signal),
  },
  {
    name: "forget",
    action: "Scan",
    next: again,
    done: "Would be erased",
    progress: [/^pass 1, \d+% \d+ of some \d+ items read, \d+ a second$/, /^pass 2, \d+% /],
    run: () => forget(["--user", String(demoUsers.driver.id)], directory),
  },
  {
    name: "history",
    action: "Query",
    next: again,
    done: "",
    progress: [/^$/, /^$/],
    run: () => history(["user", "5"], directory),
  },
  {
    name: "recount",
    action: "Query",
    next: again,
    done: "all counters are exact",
    progress: [/^0 of 3 lists, 0 records$/, /^3 of 3 lists, [1-9]\d* records$/],
    run: () => recountLists(["--company", "1"], directory),
  },
];

afterEach(() => {
  tableClient().middlewareStack.removeByTag("outage");
  patience.withinMs = 300_000;
});

/** Has the table fail the next calls of an action, behind the SDK's own attempts. Counts all of its calls since. */
function failCalls(action: string, times: number, error: object) {
  const outage = { calls: 0, times };
  tableClient().middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== `${action}Command`) return next(args);
        outage.calls += 1;
        if (outage.calls > outage.times) return next(args);
        throw Object.assign(new Error("the table is away"), error);
      },
    { step: "finalizeRequest", priority: "low", tags: ["outage"] },
  );
  return outage;
}

const failure = { name: "InternalServerError", $metadata: { httpStatusCode: 500 } };
const faults = [
  ["fails", failure],
  ["is overloaded", { name: "ProvisionedThroughputExceededException", $metadata: { httpStatusCode: 400 } }],
  ["does not answer", { name: "TimeoutError" }],
  ["has gone from the network", { code: "ECONNREFUSED" }],
] as const;

describe.each(tools)("npm run $name", ({ action, done, next, progress, run }) => {
  test("goes on after the table has failed for longer than the SDK's own attempts", async () => {
    writeFileSync(file("job.jsonl"), `${JSON.stringify(jobLine(88_001, 1))}\n`);
    expect((await runProgram(() => runImport([file("job.jsonl")], directory))).code).toBe(0);
    const failures = callLimits.table.attempts + 1;
    const outage = failCalls(action, failures, failure);
    shown.length = 0;
    expect(await runProgram(run)).toMatchObject({ code: 0, out: expect.stringContaining(done) });
    expect(outage.calls).toBeGreaterThan(failures);
    expect([shown[0], shown.at(-1)]).toEqual(progress.map((text) => expect.stringMatching(text)));
  });

  test("ends with 1 if the table fails for ever; the last line says what to do next", async () => {
    failCalls(action, Number.POSITIVE_INFINITY, failure);
    patience.withinMs = 100;
    const began = performance.now();
    const { code, err } = await runProgram(run);
    expect(code).toBe(1);
    const mostSeconds = Math.round((performance.now() - began) / 1_000);
    expect(Number(/for (\d+) s/.exec(err)?.[1])).toBeLessThanOrEqual(mostSeconds);
    expect(err.trimEnd().split("\n").slice(-2)).toEqual([
      expect.stringMatching(/^The table did not do a call for \d+ s: InternalServerError\.$/),
      next,
    ]);
  });
});

test("what a tool says stands on a line without progress", async () => {
  writeFileSync(file("bad.jsonl"), "garbage\n");
  const { err } = await runProgram(() => runImport([file("bad.jsonl")], directory));
  expect(err).toContain("[cleared]\nline 1: malformed_json");
  expect(err).toContain("[cleared]\nall errors are in ");
  const recount = await runProgram(() => recountLists(["--company", "1"], directory));
  // One for each list, before the result, and at the end.
  expect(recount.err).toBe("[cleared]\n".repeat(5));
});

test.each(faults)("a table that %s is asked again, and the file is whole", async (_, error) => {
  failCalls("Scan", callLimits.table.attempts + 1, error);
  const out = file(`${crypto.randomUUID()}.jsonl`);
  expect(await runProgram(() => runExport(["--out", out], directory))).toMatchObject({ code: 0 });
  expect(readFileSync(out, "utf8")).toContain('"type":"company","id":1,');
});

test("a call has no quota of retries, only a limit in time", async () => {
  const pauses = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => pauses.mockRestore());
  const failures = 60;
  const outage = failCalls("Scan", failures, { code: "ECONNREFUSED" });
  const { TABLE_NAME: TableName = "" } = process.env;
  await withPatientTable(
    () => tableClient().send(new ScanCommand({ TableName, Limit: 1 })),
    () => {},
    undefined,
  );
  expect(outage.calls).toBe(failures + 1);
});

test("a network that is gone is named by its code", async () => {
  failCalls("Scan", Number.POSITIVE_INFINITY, { code: "ECONNREFUSED" });
  patience.withinMs = 100;
  const { err } = await runProgram(() => runExport(["--out", file("none.jsonl")], directory));
  expect(err).toMatch(/^The table did not do a call for \d+ s: ECONNREFUSED\.$/m);
});

test("a signal ends the wait of an export with 130", async () => {
  const outage = failCalls("Scan", Number.POSITIVE_INFINITY, failure);
  const stop = new AbortController();
  const out = file("stopped.jsonl");
  const stopped = runProgram(() => runExport(["--out", out], directory, stop.signal));
  await vi.waitUntil(() => outage.calls > callLimits.table.attempts, { timeout: 10_000 });
  stop.abort();
  expect(await stopped).toMatchObject({ code: 130, err: expect.stringContaining("There is no file.") });
  expect(existsSync(out)).toBe(false);
});

test("a signal ends the wait of an import with 130", async () => {
  writeFileSync(file("job.jsonl"), `${JSON.stringify(jobLine(88_002, 1))}\n`);
  const outage = failCalls("BatchGetItem", Number.POSITIVE_INFINITY, failure);
  const stopped = runProgram(() => runImport([file("job.jsonl")], directory));
  await vi.waitUntil(() => outage.calls > callLimits.table.attempts, { timeout: 10_000 });
  process.emit("SIGHUP");
  expect(await stopped).toMatchObject({ code: 130, err: expect.stringContaining("To go on: --from 1") });
});

test("what keeps calls waiting is said until the last of them goes on", async () => {
  const scans = failCalls("Scan", Number.POSITIVE_INFINITY, failure);
  const queries = failCalls("Query", Number.POSITIVE_INFINITY, failure);
  const { TABLE_NAME: TableName = "" } = process.env;
  const query = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": "nothing" } };
  const reasons: unknown[] = [];
  const note = (reason: string | undefined) => void reasons.push(reason);
  await withPatientTable(
    async () => {
      const scan = tableClient().send(new ScanCommand({ TableName, Limit: 1 }));
      const asked = tableClient().send(new QueryCommand({ TableName, ...query }));
      await vi.waitUntil(() => Math.min(scans.calls, queries.calls) > callLimits.table.attempts, { timeout: 10_000 });
      scans.times = 0;
      await scan;
      expect(new Set(reasons)).toEqual(new Set(["InternalServerError"]));
      queries.times = 0;
      await asked;
      expect(reasons.at(-1)).toBeUndefined();
    },
    note,
    undefined,
  );
});

const cancelled = (Code: string) =>
  Object.assign(new Error(), { CancellationReasons: [{ Code: "None" }, {}, { Code }] });

test.each([
  ["a refusal of those who are busy", new Refusal("busy", "Try again")],
  ["a transaction cancelled for load", cancelled("ThrottlingError")],
])("%s is tried again", async (_, error) => {
  const work = vi.fn().mockRejectedValueOnce(error).mockResolvedValue("done");
  expect(await patiently(work)).toBe("done");
});

test.each([
  ["another refusal", new Refusal("record_not_found", "No such record")],
  ["a transaction cancelled for a condition", cancelled("ConditionalCheckFailed")],
])("%s is not", async (_, error) => {
  const work = vi.fn().mockRejectedValueOnce(error).mockResolvedValue("done");
  await expect(patiently(work)).rejects.toBe(error);
});

test("a refusal that stays is thrown as it is", async () => {
  patience.withinMs = 20;
  const busy = new Refusal("busy", "Try again");
  await expect(patiently(() => Promise.reject(busy))).rejects.toBe(busy);
});

test.each([
  ["ExpiredTokenException", `Sign in again.\n${again}`],
  ["TimeoutError", `Sign in again.\n${again}`],
  ["AccessDeniedException", "Sign in again."],
])("after a fault %s of AWS it says: %s", async (name, said) => {
  const cause = Object.assign(new Error(), { name });
  const failed = withService({ stage: undefined, directory }, () => {
    throw new Error("Sign in again.", { cause });
  });
  await expect(failed).rejects.toThrow(expect.objectContaining({ message: said }));
});

test("a fault of the call itself is not repeated", async () => {
  const outage = failCalls("Scan", Number.POSITIVE_INFINITY, { name: "ValidationException" });
  const { code, err } = await runProgram(() => runExport(["--out", file("none.jsonl")], directory));
  expect([code, err.split("\n").slice(1), outage.calls]).toEqual([1, ["the table is away", ""], 1]);
});
