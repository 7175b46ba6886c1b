import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../infra/local/stack/synthesis.ts";

/**
 * The folder that holds what the service is measured against, with its packages installed. It is made on demand: nobody
 * else is to wait for them at `npm ci`. It lies within the checkout, whose SDK and jose it uses.
 */
export function openRivals(say: (text: string) => void): string {
  const source = join(root, "test/bench/rivals");
  const folder = join(root, ".local/bench");
  const installed = join(folder, "package.json");
  const wanted = readFileSync(join(source, "package.json"), "utf8");
  const isInstalled =
    existsSync(join(folder, "node_modules/.package-lock.json")) && readFileSync(installed, "utf8") === wanted;
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true });
  if (isInstalled) return folder;
  say("Installing what the service is measured against …");
  const { status, stderr } = spawnSync("npm", ["install", "--no-package-lock", "--ignore-scripts"], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm install failed in ${folder}: ${stderr}`);
  return folder;
}
