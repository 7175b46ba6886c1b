import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../infra/support/root.ts";

/** Installs what only gates need into `.local/gates`; gives its `node_modules`. */
export function installGateTools(): string {
  return installLocked("test/gates", "gates");
}

/**
 * Installs a package of the tests' own into a folder of `.local`, once for each lock file, without scripts; gives its
 * `node_modules`. It is within the checkout, whose TypeScript the packages use.
 */
export function installLocked(source: string, name: string): string {
  const [wanted, folder] = [join(root, source), join(root, ".local", name)];
  const packages = join(folder, "node_modules");
  if (existsSync(join(packages, ".package-lock.json")) && lockIn(folder) === lockIn(wanted)) return packages;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(wanted, file), join(folder, file));
  const { status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
    // There, npm is a batch file.
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`npm ci failed in ${folder}: ${stderr}`);
  return packages;
}

function lockIn(directory: string): string {
  return readFileSync(join(directory, "package-lock.json"), "utf8");
}
