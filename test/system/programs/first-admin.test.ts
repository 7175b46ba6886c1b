import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { root } from "../../../infra/support/root.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeMachineDirectory } from "../../support/service/machine-directory.ts";
import { newFolder } from "../../support/service/new-folder.ts";
import { readPage, shellBlocksOf } from "../runbook/shell-commands.ts";

const directory = await makeMachineDirectory();
const own = useOwnMachine(directory);
const tool = join(root, "infra/tools/import.ts");
const ofStage = "npm run import -- --stage dev -";
const [block = ""] = shellBlocksOf("The first admin", readPage("infra/README.md"));
const hasJq = spawnSync("jq", ["--version"]).status === 0;

/** Pastes the page's commands, types the password, and gives what they print; the stage is the local machine. */
async function followPage(password: string, cwd: string): Promise<string> {
  const commands = block
    .replace(ofStage, `"${process.execPath}" "${tool}" -`)
    .replace("https://HOST", own.machine.baseUrl);
  const environment = { ...process.env, WORKFORCE_DIRECTORY: directory.path };
  const shell = spawn("bash", ["-uc", commands], { cwd, env: environment, stdio: ["pipe", "pipe", "pipe"] });
  shell.stdin.end(`${password}\n`);
  const [out] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  return out;
}

test.skipIf(!hasJq)(
  "the first admin of a stage that cannot send signs in with the password of an import's line, and no file keeps it (needs jq)",
  { timeout: 60_000 },
  async () => {
    expect([block.includes(ofStage), block.includes("https://HOST")]).toEqual([true, true]);
    const cwd = newFolder();
    const out = await followPage("a harbour before dawn", cwd);
    expect(out).toMatch(/ 0 failed .*\nadmin\n$/);
    expect(out).not.toContain("harbour before");
    expect(readdirSync(cwd)).toEqual([]);
  },
);

test.skipIf(!hasJq)(
  "a password that the rules refuse is named by its field, and is not in the report (needs jq)",
  { timeout: 60_000 },
  async () => {
    const cwd = newFolder();
    expect(await followPage("tooshrt", cwd)).toMatch(/1 failed .*\nnull\n$/);
    const report = readFileSync(join(cwd, "import.errors.jsonl"), "utf8");
    expect(report).toContain('"field":"password"');
    expect(report).not.toContain("tooshrt");
  },
);
