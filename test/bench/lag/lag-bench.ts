import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { makeDirectory, runTool, startLocalMachine } from "../../support/service/local-machine.ts";
import { type Figure, reportFigures } from "../figures.ts";
import { invoiceLines } from "../store/invoices.ts";

const betweenMs = 500;
const patienceMs = 1_800_000;

/**
 * Imports so many invoices into a running local machine, and measures how long after the end of the import its totals lack some of
 * them, and whether all is exact then.
 */
export async function benchLag(sizes: readonly number[], say: (text: string) => void): Promise<boolean> {
  for (const count of sizes) await measureOne(count, (figure) => void reportFigures([figure], say));
  return true;
}

type Report = (figure: Figure) => void;

async function measureOne(count: number, report: Report): Promise<void> {
  const directory = makeDirectory();
  try {
    const machine = await startLocalMachine(directory.path);
    try {
      const headers = { authorization: `Bearer ${await machine.tokenOf("admin")}` };
      const total = () => readTotal(`${machine.baseUrl}/api/v1/finance/invoices?per_page=1`, headers);
      await measure(count, directory.path, total, report);
    } finally {
      await machine.interrupt();
    }
  } finally {
    directory.remove();
  }
}

async function readTotal(url: string, headers: Record<string, string>): Promise<number> {
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return Number(answer.headers.get("total"));
}

async function measure(count: number, directory: string, total: () => Promise<number>, report: Report): Promise<void> {
  const file = join(directory, "invoices.jsonl");
  await pipeline(Readable.from(linesOf(count)), createWriteStream(file));
  const before = await total();
  const began = Date.now();
  await succeed("import", [file], directory);
  const imported = Date.now();
  const since = (moment: number) => (Date.now() - moment) / 1_000;
  report({ name: `import of ${count} invoices`, value: (imported - began) / 1_000, unit: "s" });
  await until(async () => (await total()) === before + count);
  report({ name: "from its end until the totals have all", value: since(imported), unit: "s" });
  report({ name: "counted beside the import and after it", value: count / since(began), unit: "/s" });
  await succeed("recount", ["--company", "all"], directory);
}

function* linesOf(count: number): Generator<string> {
  for (const line of invoiceLines(count, "by date")) yield `${JSON.stringify(line)}\n`;
}

/** Runs a command of the project; throws what it prints where it does not succeed. */
async function succeed(tool: string, parameters: string[], directory: string): Promise<void> {
  const { code, stdout, stderr } = await runTool(`infra/tools/${tool}.ts`, parameters, directory);
  if (code !== 0) throw new Error(`${tool} ended with ${code}: ${stdout}${stderr}`);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error("The totals do not have all that was imported");
    await pause(betweenMs);
  }
}
