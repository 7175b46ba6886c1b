import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../infra/support/root.ts";
import { type Figure, median, reportFigures, shuffled } from "../figures.ts";
import { buildCandidates, type Candidates } from "./candidates.ts";
import { type InvoiceTable, openInvoiceTable } from "./invoice-table.ts";
import { type Run, run } from "./run.ts";

type Candidate = Exclude<keyof Candidates, "bundle">;

/** One run of each candidate: pairs are compared, as the machine's load changes between rounds. */
type Round = Readonly<Record<Candidate, Run>>;

const candidateNames = ["ours", "bare", "usual", "usualMinified"] as const satisfies readonly Candidate[];
const warmCalls = { calls: 500, warmUp: 500 };
const noCalls = { calls: 0, warmUp: 0 };
const bare = "lib-dynamodb and jose";
const usual = "middy, lib-dynamodb, zod and Powertools";

/**
 * Measures start, first and warm calls of GET invoices against others, each in a fresh process; true when all figures keep
 * within their bars. Times are those of the processor; a ratio is the median of its rounds.
 */
export async function benchCalls(rounds: number, say: (text: string) => void): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  try {
    const candidates = buildCandidates(openRivals(say), directory);
    const table = await openInvoiceTable(directory);
    try {
      say(`load before: ${loadavg().map((load) => load.toFixed(1))}`);
      const measured: Round[] = [];
      while (measured.length < rounds) measured.push(await runRound(candidates, table));
      say(`load after: ${loadavg().map((load) => load.toFixed(1))}`);
      return reportFigures([...sizesOf(candidates), ...figuresOf(measured)], say);
    } finally {
      await table.close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function runRound(candidates: Candidates, { event, environment }: InvoiceTable): Promise<Round> {
  const runs: Partial<Record<Candidate, Run>> = {};
  for (const name of shuffled(candidateNames)) {
    const counts = name === "ours" || name === "bare" ? warmCalls : noCalls;
    runs[name] = await run({ ...counts, file: candidates[name], event, environment });
  }
  return runs as Round;
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const of = (name: Candidate, what: keyof Run) => median(rounds.map((round) => round[name][what]));
  const ratio = (other: Candidate, what: keyof Run) =>
    median(rounds.map((round) => round.ours[what] / round[other][what]));
  return [
    { name: "start and first call", value: of("ours", "start"), unit: "ms" },
    { name: `start and first call: ${bare}`, value: of("bare", "start"), unit: "ms" },
    { name: `start and first call: ${usual}`, value: of("usual", "start"), unit: "ms" },
    { name: `start and first call: ${usual}, our flags`, value: of("usualMinified", "start"), unit: "ms" },
    { name: `start and first call against ${bare}`, value: ratio("bare", "start"), unit: "", atMost: 1.15 },
    { name: "start and first call against the usual stack", value: ratio("usual", "start"), unit: "" },
    {
      name: "start and first call against the usual stack, our flags",
      value: ratio("usualMinified", "start"),
      unit: "",
      atMost: 0.85,
    },
    { name: "warm call", value: of("ours", "warm"), unit: "ms" },
    { name: `warm call: ${bare}`, value: of("bare", "warm"), unit: "ms" },
    { name: `warm call against ${bare}`, value: ratio("bare", "warm"), unit: "", atMost: 1.05 },
    { name: "memory after 1,000 calls", value: of("ours", "megabytes"), unit: "MB" },
    { name: `memory against ${bare}`, value: ratio("bare", "megabytes"), unit: "", atMost: 1.15 },
  ];
}

function sizesOf({ bundle, ...others }: Candidates): Figure[] {
  const kilobytes = (file: string) => statSync(file).size / 1000;
  return [
    { name: "size of the bundle", value: kilobytes(bundle), unit: "KB", atMost: 275 },
    { name: `size: ${bare}`, value: kilobytes(others.bare), unit: "KB" },
    { name: `size: ${usual}`, value: kilobytes(others.usual), unit: "KB" },
    { name: `size: ${usual}, our flags`, value: kilobytes(others.usualMinified), unit: "KB" },
  ];
}

/**
 * The folder that holds what the service is measured against, with its packages installed. It is made on demand: nobody
 * else is to wait for them at `npm ci`. It lies within the checkout, whose SDK and jose it uses.
 */
function openRivals(say: (text: string) => void): string {
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
