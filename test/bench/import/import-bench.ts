import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeDirectory, runTool, startLocalMachine } from "../../support/service/local-machine.ts";
import { type Figure, reportFigures } from "../figures.ts";
import { invoiceLines } from "../store/invoices.ts";

const leastASecond = 1_500;

/**
 * Measures how many invoices a second are imported into a running local machine. Throws if the total is not right in the
 * next read, or a counter differs from the records.
 */
export async function benchImport(sizes: readonly number[], say: (text: string) => void): Promise<boolean> {
  const figures: Figure[] = [];
  for (const count of sizes) figures.push(await measureOne(count));
  return reportFigures(figures, say);
}

async function measureOne(count: number): Promise<Figure> {
  const directory = makeDirectory();
  try {
    const machine = await startLocalMachine(directory.path);
    try {
      const headers = { authorization: `Bearer ${await machine.tokenOf("admin")}` };
      const total = () => readTotal(`${machine.baseUrl}/api/v1/finance/invoices?per_page=1`, headers);
      return await measure(count, directory.path, total);
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

async function measure(count: number, directory: string, total: () => Promise<number>): Promise<Figure> {
  const file = join(directory, "invoices.jsonl");
  await pipeline(Readable.from(linesOf(count)), createWriteStream(file));
  const before = await total();
  const began = Date.now();
  await succeed("import", [file], directory);
  const seconds = (Date.now() - began) / 1_000;
  const found = (await total()) - before;
  if (found !== count) throw new Error(`After the import of ${count} invoices the total has ${found} of them`);
  await succeed("recount", ["--company", "all"], directory);
  return { name: `import of ${count} invoices`, value: count / seconds, unit: "/s", atLeast: leastASecond };
}

function* linesOf(count: number): Generator<string> {
  for (const line of invoiceLines(count, "by date")) yield `${JSON.stringify(line)}\n`;
}

async function succeed(tool: string, parameters: string[], directory: string): Promise<void> {
  const { code, stdout, stderr } = await runTool(`infra/tools/${tool}.ts`, parameters, directory);
  if (code !== 0) throw new Error(`${tool} ended with ${code}: ${stdout}${stderr}`);
}
