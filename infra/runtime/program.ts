import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { root } from "../support/root.ts";

/**
 * Runs a module to its end in a process of its own, in the folder of the checkout; all its memory is free afterwards.
 * The process gets only PATH and HOME of this one's environment. Rejects with the beginning of the error.
 */
export async function runModule(
  code: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, ["--enable-source-maps", "--input-type=module", "-", ...parameters], {
    cwd: root,
    env: { PATH, HOME, TZ: "UTC", ...environment },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.stdin.on("error", () => {});
  child.stdin.end(code);
  const [words, [exitCode]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  process.removeListener("exit", end);
  if (exitCode !== 0) throw new Error(firstWords(words));
}

function firstWords(stderr: string): string {
  const lines = stderr.split("\n");
  const reason =
    lines.find((line) => /^\w*(Error|Refusal)\b.*:/.test(line)) ?? lines.find((line) => line.trim() !== "");
  const place = /^(?:file:\/\/)?(\/\S+:\d+)$/m.exec(stderr)?.[1];
  return [place, reason].filter((part) => part !== undefined).join(": ");
}
