import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../infra/local/stack/synthesis.ts";

const wanted = join(root, "test/gates");
/** Within the checkout, whose TypeScript the packages use. */
const folder = join(root, ".local/gates");

/** Installs what only gates need into `.local/gates`, once for each lock file, without scripts; gives its `node_modules`. */
export function installGateTools(): string {
  const packages = join(folder, "node_modules");
  if (existsSync(join(packages, ".package-lock.json")) && lockIn(folder) === lockIn(wanted)) return packages;
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(wanted, file), join(folder, file));
  const { status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`);
  return packages;
}

function lockIn(directory: string): string {
  return readFileSync(join(directory, "package-lock.json"), "utf8");
}

// Gates that run side by side install first, one after the other.
if (import.meta.main) installGateTools();
