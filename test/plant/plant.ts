import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type JsonFile, openJsonFile } from "../../infra/local/json-file.ts";
import { root } from "../../infra/local/stack/synthesis.ts";
import { abortOnSignals, interrupted, readArguments, runCommand, UsageError } from "../../infra/tools/cli/command.ts";
import type { Place } from "./places.ts";
import { type Outcome, type Progress, plantFaults } from "./planter.ts";
import { runVitest } from "./test-run.ts";

/** The share that the tests have to catch. */
const aim = 0.95;
const widest = 400;

const help = `npm run plant [-- --places N] [--seed SEED] [--files GLOB] [--resume]

Plants faults into a copy of the checkout in the temporary folder, one at a time: a comparison, a figure, a missing condition,
a missing await, a dropped branch or step, another order. The nearest test files run with each fault; those that they let
through are planted together, and all of npm test runs. Prints what no test has caught. A fault that changes nothing is
listed in test/plant/equivalent.json, with the reason.

  --places N    how many faults; by default 60
  --seed SEED   chooses the places; by default one that no run has used
  --files GLOB  only in these files, such as "shared/db/**"
  --resume      go on with the last run: what was caught stays, and after a change of any file the rest is tried again
  --help        show this

Ends with 0 if at least ${100 * aim} % are caught, 1 if fewer are, 2 if the call was wrong, 130 if it was stopped.
`;

/** Plants faults as the command line says. */
export async function plant(parameters: string[]): Promise<number> {
  const options = {
    places: { type: "string" },
    seed: { type: "string" },
    files: { type: "string" },
    resume: { type: "boolean" },
  } as const;
  const call = readArguments("plant", help, { args: parameters, options });
  const progress = openProgress(call.values);
  const { seed, files, count } = progress.value;
  say(`${count} places in ${files}, seed ${seed}`);
  const { signal, release } = abortOnSignals();
  const began = performance.now();
  try {
    const planted = await plantFaults({ root, progress, runTests: runVitest, signal, say });
    if (planted.length === 0) throw new UsageError(`No source that can be planted is in ${files}`);
    const survivors = planted.filter(({ verdict }) => verdict === "survived");
    for (const survivor of survivors) say(describe(survivor));
    const caught = planted.length - survivors.length;
    const share = caught / planted.length;
    const minutes = ((performance.now() - began) / 60_000).toFixed(0);
    say(`${caught} of ${planted.length} caught, ${(100 * share).toFixed(1)} %; seed ${seed}; ${minutes} minutes`);
    return share < aim ? 1 : 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    say("Stopped. Go on with: npm run plant -- --resume");
    return interrupted;
  } finally {
    release();
  }
}

interface Wishes {
  readonly places?: string | undefined;
  readonly seed?: string | undefined;
  readonly files?: string | undefined;
  readonly resume?: boolean | undefined;
}

function openProgress({ resume, ...wishes }: Wishes): JsonFile<Progress> {
  const file = join(root, ".local/plant/progress.json");
  if (resume && Object.keys(wishes).length > 0)
    throw new UsageError("--resume takes the other options of the last run");
  if (resume && !existsSync(file)) throw new UsageError("There is no run to go on with");
  if (!resume) rmSync(file, { force: true });
  const { places = "60", seed = randomBytes(4).toString("hex"), files = "**" } = wishes;
  const count = Number(places);
  if (!Number.isSafeInteger(count) || count < 1) throw new UsageError(`--places takes a number from 1, not ${places}`);
  return openJsonFile<Progress>(file, { seed, files, count, digest: "", outcomes: {} });
}

function describe({ kind, file, line, before, after, tests }: Place & Outcome): string {
  const lines = [`\nsurvived  ${kind}  ${file}:${line}`, `  - ${before}`, `  + ${after}`];
  return [...lines, `  tried first: ${tests.join(", ") || "none"}`].map((each) => each.slice(0, widest)).join("\n");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main) await runCommand(plant);
