import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalFunction } from "../stack/template.ts";
import { type Environment, type EnvironmentOutput, startEnvironment } from "./environment.ts";
import type { Sources } from "./sources.ts";

/** The functions of the stack, ready to be invoked. */
export interface Environments {
  /** What the function answers. Rejects with `FunctionError` when it throws, times out or dies. */
  invoke(functionName: string, event: unknown): Promise<unknown>;
  /** Loads every function, so that the first call of each finds it warm. */
  warm(): Promise<void>;
  close(): Promise<void>;
}

/** The functions, the settings each gets besides its own, and where their output goes. */
export interface EnvironmentsOptions {
  functions: LocalFunction[];
  environment: Record<string, string>;
  /** Brings the bundles up to date before each invocation; without it they stay as they are. */
  sources?: Pick<Sources, "refresh" | "generation">;
  output: EnvironmentOutput;
}

interface Slot {
  definition: LocalFunction;
  generation: number;
  digest: string;
  environment: Environment | undefined;
}

/** One environment for each function, started when first needed, and again when its bundle changes or it dies. */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const { refresh, generation } = options.sources ?? { refresh: async () => {}, generation: () => 0 };
  const slots = new Map<string, Slot>(
    options.functions.map((definition) => [
      definition.name,
      { definition, generation: -1, digest: "", environment: undefined },
    ]),
  );

  const current = (name: string): Environment => {
    const slot = slots.get(name);
    if (!slot) throw new Error(`The stack has no function ${name}.`);
    if (slot.generation !== generation()) retireIfChanged(slot, generation());
    if (!slot.environment?.usable()) slot.environment = startEnvironment(slot.definition, options);
    return slot.environment;
  };

  return {
    async invoke(name, event) {
      await refresh();
      return current(name).invoke(event);
    },
    async warm() {
      await refresh();
      // One after the other: warming must not take both processors from the first request.
      for (const name of slots.keys()) await current(name).ready;
    },
    async close() {
      await Promise.all([...slots.values()].map((slot) => slot.environment?.close()));
    },
  };
}

function retireIfChanged(slot: Slot, generation: number): void {
  const { directory } = slot.definition;
  const hash = createHash("sha256");
  for (const file of globSync("*.{js,mjs,cjs}", { cwd: directory }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(directory, file)));
  }
  const digest = hash.digest("hex");
  if (digest !== slot.digest) {
    slot.environment?.retire();
    slot.environment = undefined;
  }
  slot.generation = generation;
  slot.digest = digest;
}
