import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../infra/local/stack/synthesis.ts";
import { type Figure, median, reportFigures, shuffled } from "../figures.ts";
import { buildCandidates, type Candidates } from "./candidates.ts";
import { openInvoiceTable } from "./invoice-table.ts";
import { type Run, type RunRequest, run } from "./run.ts";

type Say = (text: string) => void;
type Candidate = Exclude<keyof Candidates, "bundle">;
type Runs = Readonly<Record<Candidate, readonly Run[]>>;

interface Plan {
  readonly of: readonly Candidate[];
  readonly rounds: number;
  readonly calls?: number;
  readonly warmUp?: number;
}

type RunRounds = (plan: Plan) => Promise<Runs>;

const microseconds = 1000;

/** Measures start and first call of GET invoices against others, in fresh processes; true when all keep within their bars. */
export function benchCold(rounds: number, say: Say): Promise<boolean> {
  return withCandidates(say, async (runRounds, candidates) => {
    const runs = await runRounds({ of: ["ours", "bare", "usual"], rounds });
    const cold = (name: Candidate) => median(runs[name].map(({ init, first }) => init + first));
    return [
      ...sizesOf(candidates),
      { name: "cold: start and first call", value: cold("ours"), unit: "ms" },
      { name: "cold: lib-dynamodb and jose, bare", value: cold("bare"), unit: "ms" },
      { name: "cold: middy, lib-dynamodb, zod and Powertools", value: cold("usual"), unit: "ms" },
      { name: "cold against bare", value: cold("ours") / cold("bare"), unit: "", atMost: 1.15 },
      { name: "cold against the usual stack", value: cold("ours") / cold("usual"), unit: "", atMost: 0.6 },
    ];
  });
}

/** Measures repeated calls of GET invoices against others; true when all keep within their bars. */
export function benchWarm(rounds: number, say: Say): Promise<boolean> {
  return withCandidates(say, async (runRounds) => {
    const own = await runRounds({ of: ["oursCanned", "bareCanned"], rounds, calls: 4_000, warmUp: 4_000 });
    const whole = await runRounds({ of: ["ours", "bare"], rounds, calls: 1_000, warmUp: 500 });
    const long = await runRounds({ of: ["ours", "bare"], rounds: 3, calls: 4_999, warmUp: 0 });
    const ownOf = (name: Candidate) => median(own[name].map(({ warm }) => warm * microseconds));
    const wholeOf = (name: Candidate) => median(whole[name].map(({ warm }) => warm * microseconds));
    const memoryOf = (name: Candidate) => median(long[name].map(({ rss }) => rss / 1_000_000));
    const added = ownOf("oursCanned") - ownOf("bareCanned");
    return [
      { name: "own code: a call with a canned table", value: ownOf("oursCanned"), unit: "µs" },
      { name: "own code: a bare handler with a canned table", value: ownOf("bareCanned"), unit: "µs" },
      { name: "own code over a bare handler", value: added, unit: "µs", atMost: 40 },
      { name: "whole call", value: wholeOf("ours"), unit: "µs" },
      { name: "whole call, lib-dynamodb and jose, bare", value: wholeOf("bare"), unit: "µs" },
      { name: "whole call against bare", value: wholeOf("ours") / wholeOf("bare"), unit: "", atMost: 1.05 },
      { name: "memory after 5,000 calls", value: memoryOf("ours"), unit: "MB" },
      { name: "memory, lib-dynamodb and jose, bare", value: memoryOf("bare"), unit: "MB" },
      { name: "memory against bare", value: memoryOf("ours") / memoryOf("bare"), unit: "", atMost: 1.15 },
    ];
  });
}

async function withCandidates(
  say: Say,
  measure: (runRounds: RunRounds, candidates: Candidates) => Promise<Figure[]>,
): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "workforce-bench-"));
  try {
    const candidates = buildCandidates(openRivals(say), directory);
    const table = await openInvoiceTable(directory);
    try {
      const request = { event: table.event, environment: table.environment };
      const runRounds: RunRounds = (plan) => runCandidates(candidates, request, plan);
      return reportFigures(await measure(runRounds, candidates), say);
    } finally {
      await table.close();
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function runCandidates(
  candidates: Candidates,
  request: Omit<RunRequest, "file">,
  { of, rounds, ...counts }: Plan,
): Promise<Runs> {
  const runs: Record<Candidate, Run[]> = { ours: [], bare: [], usual: [], oursCanned: [], bareCanned: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of shuffled(of)) runs[name].push(await run({ ...request, ...counts, file: candidates[name] }));
  }
  return runs;
}

function sizesOf({ bundle, bare, usual }: Candidates): Figure[] {
  const kilobytes = (file: string) => statSync(file).size / 1000;
  return [
    { name: "size of the bundle", value: kilobytes(bundle), unit: "KB", atMost: 260 },
    { name: "size: lib-dynamodb and jose, bare", value: kilobytes(bare), unit: "KB" },
    { name: "size: middy, lib-dynamodb, zod and Powertools", value: kilobytes(usual), unit: "KB" },
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
