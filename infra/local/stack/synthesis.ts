import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const localStage = "local";

/** The folder of the checkout. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The stack's template, and the folder with a folder for each function's bundle. */
export interface LocalSynthesis {
  template: Record<string, unknown>;
  bundles: string;
}

interface LastSynthesis {
  digest: string;
  template: Record<string, unknown>;
}

/** Synthesises the stack, which `onBuild` says first, or takes the last synthesis where nothing it is made from has changed. */
export async function synthesizeOnce(directory: string, onBuild?: () => void): Promise<LocalSynthesis> {
  const outdir = join(directory, "cdk.out");
  const bundles = join(outdir, "bundles");
  const file = synthesisFile(directory);
  const digest = digestSources();
  const last = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as LastSynthesis) : undefined;
  if (last?.digest === digest) return { template: last.template, bundles };

  onBuild?.();
  rmSync(outdir, { recursive: true, force: true });
  // The CDK takes most of a second to load: it is imported only where it is needed.
  const { synthesize } = await import("../../synthesize.ts");
  const { template } = synthesize(localStage, outdir);
  writeFileSync(file, JSON.stringify({ digest, template }));
  return { template, bundles };
}

/** Lets a machine's folder begin with the synthesis of another one. */
export function copySynthesis(from: string, to: string): void {
  cpSync(join(from, "cdk.out"), join(to, "cdk.out"), { recursive: true });
  cpSync(synthesisFile(from), synthesisFile(to));
}

/** Forgets the last synthesis: its bundles are about to be rebuilt. */
export function forgetSynthesis(directory: string): void {
  rmSync(synthesisFile(directory), { force: true });
}

function synthesisFile(directory: string): string {
  return join(directory, "synthesis.json");
}

function digestSources(): string {
  const sources = [
    "package-lock.json",
    "tsconfig.json",
    "cdk.json",
    "infra/*.ts",
    "infra/{constructs,functions,stages}/**/*.ts",
  ];
  const files = globSync([...sources, "functions/**/*", "shared/**/*"], { cwd: root, withFileTypes: true });
  const digest = createHash("sha256");
  for (const path of files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .sort()) {
    digest.update(path).update("\0").update(readFileSync(path)).update("\0");
  }
  return digest.digest("hex");
}
