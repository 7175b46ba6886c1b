import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Runs a program of the project to its end in a process of its own, which gives back all its memory; with nothing of this
 * process's environment but the search path. Rejects with the first words of why it failed.
 */
export async function runProgram(
  program: URL,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, TZ: "UTC", ...environment };
  try {
    await promisify(execFile)(process.execPath, [fileURLToPath(program), ...parameters], { env });
  } catch (error) {
    throw new Error(firstWords((error as { stderr?: string }).stderr || String(error)), { cause: error });
  }
}

/** Where Node says why a program ended: the place in the source, and the error. */
function firstWords(stderr: string): string {
  const lines = stderr.split("\n");
  const reason =
    lines.find((line) => /^\w*(Error|Refusal)\b.*:/.test(line)) ?? lines.find((line) => line.trim() !== "");
  const place = /^(?:file:\/\/)?(\/\S+:\d+)$/m.exec(stderr)?.[1];
  return [place, reason].filter((part) => part !== undefined).join(": ");
}
