import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../../..", import.meta.url));
// What the tests start compiles each file once for all runs, the cdk command above all.
process.env.NODE_COMPILE_CACHE ??= `${root}.local/compile-cache`;

const report = process.env.VITEST_REPORT;

export default defineConfig({
  root,
  test: {
    include: ["test/system/{deploy,runtime,lint}/**/*.test.ts"],
    // Each phase is shown when it is done.
    reporters: report ? ["verbose", ["json", { outputFile: report }]] : ["verbose"],
    // Each file has an emulator of its own, and waits for it half of the time.
    maxWorkers: 2,
    maxConcurrency: 2,
    // Longer than any program that a test waits for.
    testTimeout: 250_000,
    hookTimeout: 400_000,
  },
});
