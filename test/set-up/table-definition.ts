import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TableDefinition } from "../../infra/runtime/engine/local-table.ts";
import { runModule } from "../../infra/runtime/program.ts";
import { bundleProgram } from "../../infra/runtime/program-bundle.ts";
import { writeJsonFile } from "../../infra/support/json-file.ts";
import { root } from "../../infra/support/root.ts";

interface Kept {
  readonly digest: string;
  readonly definition: TableDefinition;
}

/** The last run's table. */
const keptFile = join(root, ".local/test-made/table.json");

/** The table as the stack defines it; synthesised in an empty folder if the code that defines it is not that of the last run. */
export async function readTableDefinition(folder: string): Promise<TableDefinition> {
  const { code } = await bundleProgram("test/set-up/table-program.ts");
  const digest = digestOf(code);
  const kept: Partial<Kept> = existsSync(keptFile) ? JSON.parse(readFileSync(keptFile, "utf8")) : {};
  if (kept.definition && kept.digest === digest) return kept.definition;
  const file = join(folder, "table.json");
  await runModule(code, [file, join(folder, "table")]);
  const definition: TableDefinition = JSON.parse(readFileSync(file, "utf8"));
  writeJsonFile(keptFile, { digest, definition } satisfies Kept);
  return definition;
}

/** The source map changes with every line of the files that little or nothing is taken from. */
function digestOf(code: string): string {
  const settings = ["package-lock.json", "cdk.json"].map((file) => readFileSync(join(root, file)));
  const digest = createHash("sha256").update(code.replace(/^\/\/# sourceMappingURL=.*$/m, ""));
  for (const each of settings) digest.update(each);
  return digest.digest("hex");
}
