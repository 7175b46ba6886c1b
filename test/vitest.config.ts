import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));
const report = process.env.VITEST_REPORT;
const measured = ["test/attacks/enumeration.test.ts"];
const laws = ["test/infra/**/*.test.ts"];

/** DynamoDB Local takes several times as long as the usual engine. */
const patience = process.env.DYNAMODB_ENGINE === "dynamodb-local" ? 4 : 1;

const everywhere = {
  setupFiles: ["test/support/capture-logs.ts"],
  // What handlers need that are called without a table or a queue.
  env: { METRIC_NAMESPACE: "Workforce/test" },
  testTimeout: patience * 20_000,
  hookTimeout: patience * 60_000,
};

export default defineConfig({
  root,
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
    maxWorkers: 2,
    projects: [
      {
        root,
        test: {
          ...everywhere,
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...measured, ...laws],
          sequence: { groupOrder: 0 },
        },
      },
      {
        root,
        test: {
          ...everywhere,
          name: "laws",
          include: laws,
          globalSetup: ["test/support/synthesize-stages.ts"],
          sequence: { groupOrder: 0 },
        },
      },
      // What compares times runs when nothing else does.
      { root, test: { ...everywhere, name: "times", include: measured, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
