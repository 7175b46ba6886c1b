import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { url as inspectorUrl } from "node:inspector";
import { transformSync } from "esbuild";
import type { LocalFunction } from "../stack/template.ts";
import type { ProcessSetup } from "./environment-program.ts";

const programFile = new URL("./environment-program.ts", import.meta.url);
let program: string | undefined;

/**
 * Starts the process of a function with the given settings alone, as Lambda's runtime would. The types are stripped
 * from its program here, once: stripping them in each process takes longer than the rest of its start. A debugger that
 * is attached to this process attaches to the new one too.
 */
export function startProcess(definition: LocalFunction, environment: Record<string, string>): ChildProcess {
  const { name, directory, memoryMegabytes } = definition;
  program ??= transformSync(readFileSync(programFile, "utf8"), { loader: "ts", target: "node24" }).code;
  const setup = JSON.stringify({ directory, functionName: name, memoryMegabytes } satisfies ProcessSetup);
  const flags = [
    "--enable-source-maps",
    `--max-old-space-size=${memoryMegabytes}`,
    ...(inspectorUrl() === undefined ? [] : ["--inspect=127.0.0.1:0"]),
  ];
  return spawn(process.execPath, [...flags, "--input-type=module", "--eval", program, "--", setup], {
    env: { ...environment, ...definition.environment, ...lambdaVariables(definition), ...debuggerVariables() },
    // Its own process group, so that Ctrl-C in the terminal reaches this process alone, which then ends the others in
    // order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}

/** The variables by which an editor's debugger finds processes. */
function debuggerVariables(): Record<string, string> {
  const { NODE_OPTIONS, VSCODE_INSPECTOR_OPTIONS } = process.env;
  if (VSCODE_INSPECTOR_OPTIONS === undefined) return {};
  return { VSCODE_INSPECTOR_OPTIONS, ...(NODE_OPTIONS !== undefined && { NODE_OPTIONS }) };
}

function lambdaVariables({ name, memoryMegabytes }: LocalFunction): Record<string, string> {
  return {
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: "local",
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split(".")[0]}.x`,
    TZ: ":UTC",
  };
}
