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
  environments: Environment[];
  busy: Set<Environment>;
  waiting: (() => void)[];
}

/** More calls of a function at once wait: the machine has no more processors. */
const mostAtOnce = 4;

/**
 * The environments of each function, which take one call at a time as Lambda's do: started when first needed, and again when
 * the bundle changes or one dies.
 */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const refresh = options.sources?.refresh ?? (async () => {});
  const slots = new Map<string, Slot>(
    options.functions.map((definition) => [
      definition.name,
      { definition, generation: -1, digest: "", environments: [], busy: new Set(), waiting: [] },
    ]),
  );

  const slotOf = (name: string): Slot => {
    const slot = slots.get(name);
    if (!slot) throw new Error(`The stack has no function ${name}.`);
    return slot;
  };

  return {
    async invoke(name, event) {
      await refresh();
      const slot = slotOf(name);
      const environment = await acquire(slot, options);
      try {
        return await environment.invoke(event);
      } finally {
        slot.busy.delete(environment);
        slot.waiting.shift()?.();
      }
    },
    async warm() {
      await refresh();
      // One after the other: warming must not take both processors from the first request.
      for (const slot of slots.values()) await idleOf(slot, options)?.ready;
    },
    async close() {
      await Promise.all([...slots.values()].flatMap(({ environments }) => environments.map((each) => each.close())));
    },
  };
}

/** An environment that has no call; where each of as many as there may be has one, the first that has none again. */
async function acquire(slot: Slot, options: EnvironmentsOptions): Promise<Environment> {
  const idle = idleOf(slot, options);
  if (idle) {
    slot.busy.add(idle);
    return idle;
  }
  await new Promise<void>((resolve) => slot.waiting.push(resolve));
  return acquire(slot, options);
}

function idleOf(slot: Slot, options: EnvironmentsOptions): Environment | undefined {
  const generation = options.sources?.generation() ?? 0;
  if (slot.generation !== generation) retireIfChanged(slot, generation);
  slot.environments = slot.environments.filter((each) => each.usable());
  const idle = slot.environments.find((each) => !slot.busy.has(each));
  if (idle || slot.environments.length >= mostAtOnce) return idle;
  const started = startEnvironment(slot.definition, options);
  slot.environments.push(started);
  return started;
}

function retireIfChanged(slot: Slot, generation: number): void {
  const { directory } = slot.definition;
  const hash = createHash("sha256");
  for (const file of globSync("*.{js,mjs,cjs}", { cwd: directory }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(directory, file)));
  }
  const digest = hash.digest("hex");
  if (digest !== slot.digest) {
    for (const each of slot.environments) each.retire();
    slot.environments = [];
  }
  slot.generation = generation;
  slot.digest = digest;
}
