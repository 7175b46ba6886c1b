import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEngine } from "../../infra/runtime/engine/engine.ts";
import type { TableDefinition } from "../../infra/runtime/engine/local-table.ts";
import { makeTemporaryFolder } from "../../infra/support/temporary-folder.ts";
import { readTableDefinition } from "./table-definition.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the DynamoDB engine that all test files share, each with tables of its own. */
    engineEndpoint: string;
    engineName: string;
    /** The table as the stack defines it. */
    tableDefinition: TableDefinition;
    /** Folder of what is made once for the run; removed at its end. */
    run: string;
    /** Folder where test files leave what they record for the end of the run. */
    recordings: string;
  }
}

/** Starts one DynamoDB engine for the run, and makes the run's folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { path: run, remove } = makeTemporaryFolder("test", tmpdir());
  // Whatever the tests and their programs leave there goes with it.
  process.env.TMPDIR = run;
  const recordings = join(run, "recordings");
  mkdirSync(recordings);
  const [definition, engine] = await Promise.all([readTableDefinition(run), startEngine()]);
  project.provide("engineEndpoint", engine.endpoint);
  project.provide("engineName", engine.name);
  project.provide("tableDefinition", definition);
  project.provide("run", run);
  project.provide("recordings", recordings);
  return async () => {
    await engine.close();
    remove();
  };
}
