import { readFileSync } from "node:fs";
import { join } from "node:path";
import { machineFile } from "../../../infra/local/local-aws.ts";
import { listInvoices } from "../../../shared/contract/finance.ts";
import { makeDirectory, startLocalMachine } from "../../support/service/local-machine.ts";
import { type Figure, median, reportFigures, shuffled } from "../figures.ts";
import { openRivals } from "../rivals.ts";
import { type Load, putUnderLoad } from "./put-under-load.ts";
import { startRival } from "./rival-server.ts";

/** Those that do the same job in the same run. */
const rivals = ["express", "fastify", "hono", "nest"] as const;

const path = `${listInvoices.path}?by_state=pending`;

interface LoadOptions {
  readonly rounds: number;
  /** How long each server is under load, all rounds together. */
  readonly seconds: number;
}

type Say = (text: string) => void;

/** Puts the local machine and its rivals under load, in turns; true when it answers all, in time, and ahead of them. */
export async function benchLoad({ rounds, seconds }: LoadOptions, say: Say): Promise<boolean> {
  const folder = openRivals(say);
  const directory = makeDirectory();
  const machine = await startLocalMachine(directory.path);
  try {
    const token = machine.tokenOf("admin");
    const environment = readEnvironment(directory.path);
    const loads: Record<string, Load[]> = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const name of shuffled(["workforce", ...rivals])) {
        const rival = name === "workforce" ? undefined : await startRival(join(folder, `${name}.mjs`), environment);
        const url = `${rival?.baseUrl ?? machine.baseUrl}${path}`;
        try {
          const load = await putUnderLoad(folder, { url, token, seconds: seconds / rounds });
          loads[name] = [...(loads[name] ?? []), load];
        } finally {
          await rival?.close();
        }
      }
    }
    return reportFigures(figuresOf(loads), say);
  } finally {
    await machine.interrupt();
    directory.remove();
  }
}

function figuresOf(loads: Readonly<Record<string, readonly Load[]>>): Figure[] {
  const rate = (name: string) => median((loads[name] ?? []).map(({ requestsPerSecond }) => requestsPerSecond));
  const p99 = (name: string) => median((loads[name] ?? []).map(({ p99Milliseconds }) => p99Milliseconds));
  const errors = (loads.workforce ?? []).reduce((sum, load) => sum + load.errors, 0);
  const fastest = Math.max(...rivals.map(rate));
  return [
    { name: "errors", value: errors, unit: "", atMost: 0 },
    { name: "99 of 100 requests answered within", value: p99("workforce"), unit: "ms", atMost: 60 },
    { name: "requests a second", value: rate("workforce"), unit: "/s" },
    ...rivals.flatMap((name) => [
      { name: `${name}: requests a second`, value: rate(name), unit: "/s" },
      { name: `${name}: 99 of 100 requests answered within`, value: p99(name), unit: "ms" },
    ]),
    { name: "against the fastest of them", value: rate("workforce") / fastest, unit: "", atLeast: 1 },
  ];
}

/** The machine's own environment: its rivals read the same table on the same engine. */
function readEnvironment(directory: string): Record<string, string> {
  return JSON.parse(readFileSync(machineFile(directory), "utf8")).environment;
}
