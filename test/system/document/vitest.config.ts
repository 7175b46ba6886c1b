import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const setUp = (...names: string[]) => names.map((name) => `test/${name}.ts`);
const report = process.env.VITEST_REPORT;

export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  test: {
    include: ["test/system/document/*.test.ts"],
    globalSetup: setUp("set-up/global-setup"),
    setupFiles: setUp(
      "set-up/fresh-file",
      "support/service/capture-logs",
      "set-up/fail-on-rejections",
      "system/rights/record-files",
    ),
    env: { METRIC_NAMESPACE: "Workforce/test" },
    reporters: report ? ["verbose", ["json", { outputFile: report }]] : ["verbose"],
    // The compiler and the generators load for seconds on a machine that others use as well.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
