import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findEngine } from "../local/engine/engine-commands.ts";
import { writeJsonFile } from "../local/json-file.ts";
import { root } from "../local/stack/synthesis.ts";
import { readArguments, runCommand, unknownWord } from "./cli/command.ts";
import { countTests, sumCounts, type TestCounts } from "./cli/count-tests.ts";
import { findPython, neededPython } from "./cli/python.ts";

/** One gate: a program that ends with 0 when all is well. */
interface Gate {
  readonly name: string;
  readonly title: string;
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Why it cannot run on this machine; undefined when it can. */
  obstacle?(): string | undefined;
}

const tests = ["run", "--config", "test/vitest.config.ts"];

/** Vitest leaves a report; any other gate counts as one test. */
const gates: readonly Gate[] = [
  {
    name: "format",
    title: "format and lint",
    program: "biome",
    parameters: ["ci", "--error-on-warnings", "--colors=off"],
  },
  { name: "types", title: "types", program: "tsc", parameters: ["--project", "."] },
  {
    name: "imports",
    title: "import rules",
    program: "depcruise",
    parameters: ["functions", "shared", "infra", "test"],
  },
  { name: "unused", title: "unused code", program: "knip", parameters: ["--no-progress"] },
  {
    name: "words",
    title: "word list and links",
    program: "vitest",
    parameters: [...tests, ...["words", "links"].map((each) => `test/system/conventions/${each}.test.ts`)],
  },
  {
    name: "store",
    title: "store on DynamoDB Local",
    program: "vitest",
    parameters: [...tests, "test/db", "test/bench"],
    environment: { DYNAMODB_ENGINE: "dynamodb-local", DYNAMODB_ENDPOINT: "" },
    obstacle: dynamodbLocalObstacle,
  },
  {
    name: "long",
    title: "faults, times at length",
    program: "vitest",
    parameters: [
      ...tests,
      ...["lost-answers", "lost-account-answers", "lost-messages"].map((each) => `test/system/faults/${each}.test.ts`),
      "test/system/attacks/timing.test.ts",
      ...["totals-histories", "notification-histories", "fan-out", "intake"].map(
        (each) => `test/system/faults/${each}.test.ts`,
      ),
    ],
    environment: { LOSSES: "all", TIMED: "500", HISTORIES: "2000", RECIPIENTS: "10000", INTAKE_MESSAGES: "10000" },
  },
  {
    name: "synth",
    title: "synth",
    program: "cdk",
    parameters: ["synth", "--quiet", "--no-notices", "--output", ".local/check/cdk.out"],
    environment: { CDK_DISABLE_VERSION_CHECK: "true", WORKFORCE_STAGES: "" },
  },
  {
    name: "deploy",
    title: "deploy into an emulator",
    program: "vitest",
    parameters: ["run", "--config", "test/system/deploy/vitest.config.ts", "test/system/deploy"],
    obstacle: emulatorObstacle,
  },
  {
    name: "lint",
    title: "templates by cfn-lint",
    program: "vitest",
    parameters: ["run", "--config", "test/system/deploy/vitest.config.ts", "test/system/lint"],
    obstacle: linterObstacle,
  },
  {
    name: "runtime",
    title: "AWS's runtime client",
    program: "vitest",
    parameters: ["run", "--config", "test/system/deploy/vitest.config.ts", "test/system/runtime"],
    obstacle: runtimeClientObstacle,
  },
];

const help = `npm run check [-- --only GATE] [--report FILE]

Runs every gate, and prints the output of those that fail. Ends with 1 when one failed.

${gates.map(({ name, title, program }) => `  ${name.padEnd(8)} ${title.padEnd(24)} ${program}`).join("\n")}

  --only GATE    run only this gate; may be given several times
  --report FILE  write how many passed and failed, in the form of vitest's JSON report
  --help         show this
`;

await runCommand(check);

function check(parameters: string[]): number {
  const options = { only: { type: "string", multiple: true }, report: { type: "string" } } as const;
  const call = readArguments("check", help, { args: parameters, options });
  if (!call) return 0;
  const { values } = call;
  const chosen = values.only ? values.only.map(findGate) : gates;
  const { passed, failed } = sumCounts(chosen.map(runGate));
  const report = { numPassedTests: passed, numFailedTests: failed, testResults: [] };
  if (values.report) writeJsonFile(values.report, report);
  return failed > 0 ? 1 : 0;
}

function findGate(name: string): Gate {
  const gate = gates.find((each) => each.name === name);
  if (gate) return gate;
  const names = gates.map((each) => each.name);
  throw unknownWord("gate", name, names);
}

function runGate(gate: Gate): TestCounts {
  print(gate.title.padEnd(26));
  const obstacle = gate.obstacle?.();
  if (obstacle) {
    print(`skipped: ${obstacle}\n`);
    return { passed: 0, failed: 0 };
  }
  const began = performance.now();
  const { isSuccess, output } = runProgram(gate);
  print(`${isSuccess ? "passed" : "FAILED"} ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s\n`);
  if (!isSuccess) print(`${output}\n`);
  if (gate.program === "vitest") return countTests(join(root, reportOf(gate)), isSuccess);
  return { passed: isSuccess ? 1 : 0, failed: isSuccess ? 0 : 1 };
}

function reportOf({ name }: Gate): string {
  return `.local/check/${name}.json`;
}

function runProgram(gate: Gate): { isSuccess: boolean; output: string } {
  const { program, parameters, environment } = gate;
  rmSync(join(root, reportOf(gate)), { force: true });
  const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH}`;
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", PATH: path, VITEST_REPORT: reportOf(gate), ...environment },
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { isSuccess: status === 0, output: `${error?.message ?? ""}${stdout}${stderr}` };
}

function dynamodbLocalObstacle(): string | undefined {
  try {
    findEngine("dynamodb-local", { directory: ".", port: 0 });
    return undefined;
  } catch {
    return "it needs Java 17 or newer";
  }
}

/** Where there is no Python, or no way to its packages, there is no emulator; a deploy that fails in it is another thing. */
function emulatorObstacle(): string | undefined {
  return findPython() ? installObstacle("the emulator", "deploy") : `it needs ${neededPython}`;
}

function linterObstacle(): string | undefined {
  return findPython() ? installObstacle("cfn-lint", "lint") : `it needs ${neededPython}`;
}

function runtimeClientObstacle(): string | undefined {
  return installObstacle("the runtime client", "runtime");
}

/** Why what the tests of a folder need could not be installed; undefined where it is. */
function installObstacle(what: string, folder: string): string | undefined {
  const call = [join(root, "test/system", folder, "install.ts")];
  const { status, stderr } = spawnSync(process.execPath, call, { encoding: "utf8" });
  return status === 0 ? undefined : `${what} could not be installed: ${stderr.trim().split("\n").at(-1)}`;
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}
