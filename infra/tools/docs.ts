import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root as checkout } from "../support/root.ts";
import { flagOption, readArguments, runCommand } from "./cli/command.ts";
import { contractPages } from "./docs/doc-pages.ts";
import { fillTables } from "./docs/marked-tables.ts";

const help = `npm run docs [-- --costs] [--examples]

Writes the tables between the markers <!-- docs:NAME --> and <!-- /docs:NAME --> of the Markdown pages: the operations, the
codes of refusals, the settings of stages, and the client's methods that are sent again.

  --costs     measure the costs too, in half a minute: after a change of what an operation reads or writes, or of an alarm
  --examples  record the answers that the OpenAPI document has as examples: after a change of them, or of the demo data
`;

/** The test that compares the examples writes them first. */
const recording = ["node_modules/vitest/vitest.mjs", "run", "test/openapi/recorded.test.ts"];

if (import.meta.main) await runCommand((parameters) => docs(parameters));

/** Runs the command on the pages of a checkout and returns its exit code. */
export function docs(parameters: string[], root = checkout): number {
  const { values } = readArguments("docs", help, {
    args: parameters,
    options: { costs: flagOption, examples: flagOption },
  });
  for (const [page, tables] of Object.entries(contractPages())) {
    const file = join(root, page);
    const text = readFileSync(file, "utf8");
    const filled = fillTables(text, tables);
    if (filled !== text) writeFileSync(file, filled);
    process.stdout.write(`${page}: ${filled === text ? "up to date" : "written"}\n`);
  }
  if (values.costs) runNode(root, ["test/bench/bench.ts", "costs"]);
  if (values.examples) runNode(root, recording, { RECORD_EXAMPLES: "1" });
  return 0;
}

function runNode(cwd: string, parameters: readonly string[], environment = {}): void {
  execFileSync(process.execPath, parameters, { cwd, stdio: "inherit", env: { ...process.env, ...environment } });
}
