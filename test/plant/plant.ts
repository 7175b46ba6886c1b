import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type JsonFile, openJsonFile } from "../../infra/support/json-file.ts";
import { root } from "../../infra/support/root.ts";
import {
  abortOnSignals,
  flagOption,
  interrupted,
  readArguments,
  readWholeNumber,
  runCommand,
  textOption,
  UsageError,
} from "../../infra/tools/cli/command.ts";
import type { Place } from "./places.ts";
import { type Progress, plantFaults } from "./planter.ts";
import { runVitest } from "./test-run.ts";

/** The share that the tests have to catch. */
const aim = 0.95;
/** The most of a change's text that is printed. */
const widest = 400;

const help = `npm run plant [-- --places N] [--seed SEED] [--resume]

Plants faults into a copy of the checkout, one at a time, and prints those that no test of npm test has caught. A fault that
changes nothing is listed in test/plant/equivalent.json, with the reason.

  --places N   how many faults; by default 60
  --seed SEED  chooses the places; by default one that no run has used
  --resume     go on with the last run: what was caught stays, and after a change of any file the rest is tried again

Ends with 0 if at least ${100 * aim} % are caught, 1 if fewer are, 2 if the call was wrong, 130 if it was stopped.
`;

/** Plants faults as the command line says. */
export async function plant(parameters: string[]): Promise<number> {
  const progress = openProgress(parameters);
  const { seed, count } = progress.value;
  say(`${count} places, seed ${seed}`);
  using stopping = abortOnSignals();
  const { signal } = stopping;
  try {
    const { planted, survivors } = await plantFaults({ root, progress, runTests: runVitest, signal, say });
    for (const survivor of survivors) say(describe(survivor));
    const caught = planted - survivors.length;
    const minutes = (process.uptime() / 60).toFixed(0);
    say(`${caught} of ${planted} caught, ${((100 * caught) / planted).toFixed(1)} %; seed ${seed}; ${minutes} minutes`);
    return caught / planted < aim ? 1 : 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    say("Stopped. Go on with: npm run plant -- --resume");
    return interrupted;
  }
}

function openProgress(parameters: string[]): JsonFile<Progress> {
  const options = { places: textOption, seed: textOption, resume: flagOption };
  const { resume, ...wishes } = readArguments("plant", help, { args: parameters, options }).values;
  const file = join(root, ".local/plant/progress.json");
  if (resume && Object.keys(wishes).length > 0)
    throw new UsageError("--resume takes the other options of the last run");
  if (resume && !existsSync(file)) throw new UsageError("There is no run to go on with");
  const { places = "60", seed = randomBytes(4).toString("hex") } = wishes;
  const count = readWholeNumber("places", places, 1, Number.MAX_SAFE_INTEGER);
  if (!resume) rmSync(file, { force: true });
  return openJsonFile<Progress>(file, { seed, count, digest: "", unsound: [], outcomes: {} });
}

function describe({ kind, file, line, before, after }: Place): string {
  return `\nsurvived  ${kind}  ${file}:${line}\n  - ${before.slice(0, widest)}\n  + ${after.slice(0, widest)}`;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

if (import.meta.main) await runCommand(plant);
