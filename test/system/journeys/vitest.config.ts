import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const report = process.env.VITEST_REPORT;

/** The journeys that any running service can be put through, one after the other: its limits count by address. */
export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  test: {
    name: "journeys",
    include: ["test/system/journeys/{accounts,changes,client,finance,notifications}.test.ts"],
    reporters: report ? ["verbose", ["json", { outputFile: report }]] : ["verbose"],
    setupFiles: ["test/support/service/capture-logs.ts", "test/set-up/fail-on-rejections.ts"],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
