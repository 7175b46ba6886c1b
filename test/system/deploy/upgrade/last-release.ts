import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root, runProgram } from "../program.ts";

/** The last release that is out. Each release puts itself here (infra/UPGRADE.md, "Make a release"). */
export const lastRelease = {
  version: "0.1.0",
  commit: "ec7452a3bd4a7b19cebceba5338d99d5bf82b0c2",
};

/** The sources of the last release, and its stage `dev` as the cdk command deploys it. */
export interface Checkout {
  readonly folder: string;
  readonly app: string;
}

const longestMs = 300_000;
const folder = join(root, ".local/releases", lastRelease.version);

/** Why the last release cannot be deployed from this checkout; undefined when it can. */
export function findObstacle(): string | undefined {
  try {
    execFileSync("git", ["cat-file", "-e", `${lastRelease.commit}^{commit}`], { cwd: root, stdio: "ignore" });
    return undefined;
  } catch {
    return `this checkout has no commit ${lastRelease.commit.slice(0, 7)}: it is shallow, or no clone`;
  }
}

/**
 * Writes the last release into a folder of `.local` and builds it, with the packages of its own lock file that its bundles are
 * made from; once for each release. Its tools find what else they need in this checkout.
 */
export async function checkOutLastRelease(): Promise<Checkout> {
  if (!existsSync(folder)) {
    process.stderr.write(`Building release ${lastRelease.version} in .local/releases …\n`);
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await build(unfinished);
    renameSync(unfinished, folder);
  }
  return { folder, app: join(folder, "cdk.out") };
}

async function build(cwd: string): Promise<void> {
  const archive = join(cwd, "release.tar");
  await run("git", ["archive", "--output", archive, lastRelease.commit], root);
  await run("tar", ["-xf", archive], cwd);
  rmSync(archive);
  await run("npm", ["ci", "--omit=dev", "--omit=optional", "--ignore-scripts"], cwd);
  const settings = { CDK_OUTDIR: join(cwd, "cdk.out"), CDK_CONTEXT_JSON: JSON.stringify({ stage: "dev" }) };
  await run(process.execPath, ["infra/app.ts"], cwd, settings);
}

async function run(program: string, parameters: readonly string[], cwd: string, settings = {}): Promise<void> {
  const { code, output } = await runProgram(program, parameters, { ...process.env, ...settings }, longestMs, cwd);
  if (code !== 0) throw new Error(`${program} ${parameters.join(" ")} failed:\n${output}`);
}
