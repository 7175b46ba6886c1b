import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { installBrowserTools } from "./install.ts";

const page = `<!doctype html><title>App</title><script type="module" src="/main.ts"></script>\n`;

/** Makes an empty Vite app, installs a packed file into it, and builds it; gives the folder of what a browser loads. */
export function buildViteApp(packed: string, main: string): string {
  const tools = installBrowserTools();
  const app = join(root, ".local/browser/app");
  rmSync(app, { recursive: true, force: true });
  mkdirSync(app, { recursive: true });
  const manifest = { name: "app", version: "0.0.0", private: true, type: "module" };
  const files = { "package.json": JSON.stringify(manifest), "index.html": page, "main.ts": main };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(app, name), text);
  run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", packed], app);
  run(process.execPath, [join(tools, "vite/bin/vite.js"), "build", "--logLevel", "warn"], app);
  return join(app, "dist");
}

function run(program: string, parameters: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${parameters.join(" ")} failed: ${stdout}${stderr}`);
}
