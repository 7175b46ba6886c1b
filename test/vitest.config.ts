import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { recordHandlers } from "./support/rights/handler-recorder.ts";

// The tests are about the stages that come with the project.
delete process.env.WORKFORCE_STAGES;

const root = fileURLToPath(new URL("..", import.meta.url));
const report = process.env.VITEST_REPORT;
const measured = ["test/system/attacks/timing.test.ts"];
const laws = ["test/infra/**/*.test.ts"];
// They install a program of their own, and have a configuration of their own.
const installing = "test/system/{deploy,runtime,lint}/**";
const concluding = ["test/system/rights/used-rights.test.ts"];

/** What takes its turn; of 0, vitest would run the files after all others on a machine that has one worker. */
const turns = { usual: 1, measured: 2, concluding: 3 };

/** DynamoDB Local takes several times as long as the usual engine. */
const patience = process.env.DYNAMODB_ENGINE === "dynamodb-local" ? 6 : 1;

const everywhere = {
  setupFiles: ["test/support/service/capture-logs.ts", "test/support/rights/record-files.ts"],
  // What handlers need that are called without a table or a queue.
  env: { METRIC_NAMESPACE: "Workforce/test" },
  testTimeout: patience * 20_000,
  hookTimeout: patience * 60_000,
};

const plugins = [recordHandlers(root)];

export default defineConfig({
  root,
  test: {
    globalSetup: ["test/support/service/global-setup.ts"],
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
    maxWorkers: 2,
    projects: [
      {
        root,
        plugins,
        test: {
          ...everywhere,
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...measured, ...concluding, ...laws, installing],
          sequence: { groupOrder: turns.usual },
        },
      },
      {
        root,
        test: {
          ...everywhere,
          name: "laws",
          include: laws,
          globalSetup: ["test/support/service/synthesize-stages.ts"],
          sequence: { groupOrder: turns.usual },
        },
      },
      // What compares times runs when nothing else does.
      {
        root,
        plugins,
        test: {
          ...everywhere,
          name: "times",
          include: measured,
          maxWorkers: 1,
          sequence: { groupOrder: turns.measured },
        },
      },
      // What the others have recorded is read when they have ended.
      {
        root,
        test: { ...everywhere, name: "rights", include: concluding, sequence: { groupOrder: turns.concluding } },
      },
    ],
  },
});
