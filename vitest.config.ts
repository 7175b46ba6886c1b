import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { recordHandlers } from "./test/system/rights/handler-recorder.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
// Workers, and what they start, compile each file once for all runs.
process.env.NODE_COMPILE_CACHE ??= `${root}.local/compile-cache`;
// To validate a template takes longer than to make it: the gates lint and deploy do it.
process.env.CDK_VALIDATION = "false";

// A seed that no run has had; to repeat the run, set SEED to it.
if (process.env.SEED === "fresh") {
  process.env.SEED = String(crypto.getRandomValues(new Uint32Array(1))[0]);
  process.stdout.write(`SEED=${process.env.SEED}\n`);
}

const report = process.env.VITEST_REPORT;
const measured = ["test/system/attacks/known-logins/timing.test.ts"];
const laws = ["test/infra/**/*.test.ts"];
// What starts the local machine or a command as a program: the rest of the tests is half of all.
const programs = ["test/system/{programs,journeys}/*.test.ts", "test/bench/store-orders.test.ts"];
// They install a program of their own, and have a configuration of their own.
const installing = "test/system/{deploy,runtime,lint,document}/**";
const concluding = ["test/system/rights/used-rights.test.ts"];

/** The turns of groups of files; of 0, vitest would run the files after all others on a machine that has one worker. */
const turns = { usual: 1, measured: 2, concluding: 3 };

/** DynamoDB Local takes several times as long as the usual engine. */
const patience = process.env.DYNAMODB_ENGINE === "dynamodb-local" ? 6 : 1;

const setUp = (...names: string[]) => names.map((name) => `test/${name}.ts`);
const usualSetUp = setUp(
  "set-up/fresh-file",
  "set-up/plain-calls",
  "set-up/finished-document",
  "support/service/capture-logs",
  "set-up/fail-on-rejections",
  "system/rights/record-files",
);

const everywhere = {
  // To start a worker and to load the SDK in it takes longer than most files: workers are used again.
  isolate: false,
  setupFiles: [...usualSetUp, ...setUp("set-up/cheap-derivations")],
  // What handlers need that are called without a table or a queue.
  env: { METRIC_NAMESPACE: "Workforce/test" },
  testTimeout: patience * 20_000,
  // What follows an answer follows in its own time.
  expect: { poll: { timeout: 10_000 } },
  hookTimeout: patience * 60_000,
};

/** One after the other, as they are listed: each file begins with a fresh environment. */
const sequenceOf = (groupOrder: number) => ({ groupOrder, setupFiles: "list" as const });

const plugins = [recordHandlers(root)];

// Projects of one turn begin in the order of their names.
export default defineConfig({
  root,
  test: {
    globalSetup: setUp("set-up/global-setup"),
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
    // Of two processors, tests that wait for engines and programs leave a third unused.
    maxWorkers: 3,
    // Node 24.21 calls a timer of its own fetch, now and then, without the argument that it was set with; no test is concerned.
    onUnhandledError: ({ stack = "" }) =>
      !/onParserTimeout \[as _onTimeout\] \(node:internal\/deps\/undici/.test(stack),
    projects: [
      {
        root,
        plugins,
        test: {
          ...everywhere,
          name: "service",
          include: ["test/**/*.test.ts"],
          exclude: [...measured, ...concluding, ...laws, ...programs, installing],
          sequence: sequenceOf(turns.usual),
        },
      },
      {
        root,
        test: {
          ...everywhere,
          name: "stacks",
          include: laws,
          setupFiles: [...usualSetUp, ...setUp("infra/await-stages")],
          sequence: sequenceOf(turns.usual),
        },
      },
      {
        root,
        plugins,
        test: {
          ...everywhere,
          name: "programs",
          include: programs,
          // Passwords that are hashed here are compared by other processes.
          setupFiles: usualSetUp,
          sequence: sequenceOf(turns.usual),
        },
      },
      // What compares times runs when nothing else does, and derives each password again.
      {
        root,
        plugins,
        test: {
          ...everywhere,
          name: "times",
          include: measured,
          setupFiles: usualSetUp,
          maxWorkers: 1,
          sequence: sequenceOf(turns.measured),
        },
      },
      // What the others have recorded is read when they have ended.
      {
        root,
        test: { ...everywhere, name: "rights", include: concluding, sequence: sequenceOf(turns.concluding) },
      },
    ],
  },
});
