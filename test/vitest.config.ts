import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const report = process.env.VITEST_REPORT;

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/capture-logs.ts"],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: report ? ["default", ["json", { outputFile: report }]] : ["default"],
  },
});
