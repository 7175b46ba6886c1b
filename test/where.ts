import { spawnSync } from "node:child_process";
import { findEngine } from "../infra/runtime/engine/engine-commands.ts";
import { root } from "../infra/support/root.ts";
import { runCommand } from "../infra/tools/cli/command.ts";
import { keep } from "./support/service/kept.ts";
import { installCli, installEmulator } from "./system/deploy/install.ts";
import { installDocumentTools } from "./system/document/install.ts";
import { installLinter } from "./system/lint/install.ts";
import { installRuntimeClient } from "./system/runtime/install.ts";

/** Each installs what a gate needs, or throws why it cannot run on this machine. */
const needs: Readonly<Record<string, () => unknown>> = {
  emulator: async () => {
    await installEmulator();
    await installCli();
  },
  "runtime-client": installRuntimeClient,
  "cfn-lint": installLinter,
  "document-tools": installDocumentTools,
  java: () => findEngine("dynamodb-local", { directory: ".", port: 0 }),
};

/**
 * Runs a program where what it needs is there or can be installed: `node test/where.ts java vitest run`. Elsewhere its last
 * line is `skipped: ` and the reason, and it ends with 0.
 */
await runCommand(async ([need = "", program = "", ...parameters]) => {
  const install = needs[need];
  if (!install) throw new Error(`Nobody knows how to install ${need}.`);
  try {
    // Gates that run side by side share folders.
    await keep("installation", async () => install());
  } catch (error) {
    const reason = String((error as Error).message)
      .trim()
      .split("\n")
      .at(-1);
    process.stdout.write(`skipped: ${need}: ${reason}\n`);
    return 0;
  }
  const { status, error } = spawnSync(program, parameters, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  return status ?? 1;
});
