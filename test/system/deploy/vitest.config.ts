import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const report = process.env.VITEST_REPORT;

export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
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
