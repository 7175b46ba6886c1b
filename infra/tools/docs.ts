import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root as checkout } from "../local/stack/synthesis.ts";
import { readArguments, runCommand } from "./cli/command.ts";
import { contractPages } from "./docs/doc-pages.ts";
import { figuresPage } from "./docs/figures/figures-page.ts";
import { fillTables, type MarkedTables } from "./docs/marked-tables.ts";

const help = `npm run docs [-- --costs] [--examples]

Writes the tables between the markers <!-- docs:NAME --> and <!-- /docs:NAME --> of the Markdown pages: the operations, the
codes of refusals, the settings of stages, and the figures of ${figuresPage}.

  --costs     measure the costs too, in half a minute: after a change of what an operation reads or writes
  --examples  record the answers that the OpenAPI document has as examples: after a change of them, or of the demo data
`;

if (import.meta.main) await runCommand((parameters) => docs(parameters));

/** Runs the command on the pages of a checkout and returns its exit code. */
export function docs(parameters: string[], root = checkout, readFigures = synthesizeFigures): number {
  const call = readArguments("docs", help, {
    args: parameters,
    options: { costs: { type: "boolean" }, examples: { type: "boolean" } },
  });
  const pages = { ...contractPages(), [figuresPage]: readFigures() };
  for (const [page, tables] of Object.entries(pages)) {
    const file = join(root, page);
    const text = readFileSync(file, "utf8");
    const filled = fillTables(text, tables);
    if (filled !== text) writeFileSync(file, filled);
    process.stdout.write(`${page}: ${filled === text ? "up to date" : "written"}\n`);
  }
  if (call.values.costs) measureCosts(root);
  if (call.values.examples) recordExamples(root);
  return 0;
}

/** Synthesises the full stage of the tests, as every figure that a stage may have is deployed there. */
function synthesizeFigures(): MarkedTables {
  const program = join(checkout, "test/infra/print-figures.ts");
  return JSON.parse(execFileSync(process.execPath, [program], { cwd: checkout, encoding: "utf8" })) as MarkedTables;
}

function measureCosts(root: string): void {
  const { isSuccess, output } = runNode(root, ["test/bench/bench.ts", "costs"]);
  if (!isSuccess) throw new Error(`The costs could not be measured: ${output.split("\n").at(-1)}`);
}

/** Runs the test that compares the examples, in the mode that writes them. */
function recordExamples(root: string): void {
  const parameters = ["node_modules/vitest/vitest.mjs", "run", "test/openapi/recorded.test.ts"];
  const { isSuccess, output } = runNode(root, parameters, { RECORD_EXAMPLES: "1" });
  // The test itself compares with the old file, so it fails when the examples change.
  if (isSuccess || output.includes("npm run docs -- --examples")) return;
  throw new Error(`The examples could not be recorded: ${output.split("\n").at(-1)}`);
}

function runNode(cwd: string, parameters: readonly string[], environment = {}) {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd, env, encoding: "utf8" });
  return { isSuccess: status === 0, output: `${stdout}${stderr}`.trim() };
}
