import { isDeepStrictEqual } from "node:util";
import type { Builds } from "../builds/builds.ts";
import type { LocalFunction } from "../stack/template.ts";
import { type Environment, type Output, startEnvironment } from "./environment.ts";

/** Calls a function by its name; `output` takes what it writes during the call. */
export type Invoke = (functionName: string, event: unknown, output?: Output) => Promise<unknown>;

/** The functions of the stack, ready to be invoked. */
export interface Environments {
  /** What the function answers. Rejects with `FunctionError` when it throws, times out or dies. */
  invoke: Invoke;
  /** Takes other functions and settings: from the next call on, what has changed runs in new environments. */
  replace(given: Pick<EnvironmentsOptions, "functions" | "environment">): void;
  close(): Promise<void>;
}

/** The functions, the settings each gets besides its own, and where their output outside of calls goes. */
export interface EnvironmentsOptions {
  functions: LocalFunction[];
  environment: Record<string, string>;
  /** Brings a function's build up to date before each invocation; without it they stay as they are. */
  builds?: Pick<Builds, "build">;
  output: Output;
  /** How long an environment without a call is kept. */
  idleMilliseconds?: number;
}

interface Slot {
  definition: LocalFunction;
  environment: Record<string, string>;
  revision: string;
  environments: Environment[];
  busy: Set<Environment>;
  waiting: (() => void)[];
}

/** More calls of a function at once wait: the machine has no more processors. */
const mostAtOnce = 4;

/** Long enough for who clicks through an app, short enough that what nobody calls holds nothing. */
const usualIdleMilliseconds = 8_000;

/**
 * The environments of each function, which take one call at a time as Lambda's do: started when first needed, and again when
 * the build changes or one dies; they end when nobody has called them for some seconds.
 */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const slots = new Map<string, Slot>();
  const idleTimers = new WeakMap<Environment, NodeJS.Timeout>();

  const replace: Environments["replace"] = ({ functions, environment }) => {
    const names = new Set(functions.map(({ name }) => name));
    for (const [name, slot] of slots) {
      if (names.has(name)) continue;
      retireAll(slot);
      slots.delete(name);
    }
    for (const definition of functions) {
      const slot = slots.get(definition.name);
      if (slot) update(slot, definition, environment);
      else slots.set(definition.name, openSlot(definition, environment));
    }
  };
  replace(options);

  const release = (slot: Slot, environment: Environment) => {
    slot.busy.delete(environment);
    const end = () => environment.retire();
    idleTimers.set(environment, setTimeout(end, options.idleMilliseconds ?? usualIdleMilliseconds).unref());
    slot.waiting.shift()?.();
  };
  return {
    replace,
    async invoke(name, event, output) {
      if (!slots.has(name)) throw new Error(`The stack has no function ${name}.`);
      const revision = (await options.builds?.build(name)) ?? "";
      const slot = slots.get(name);
      if (!slot) throw new Error(`The stack has no function ${name} any more.`);
      if (slot.revision !== revision) retireAll(slot);
      slot.revision = revision;
      const environment = await acquire(slot, options);
      clearTimeout(idleTimers.get(environment));
      try {
        return await environment.invoke(event, output);
      } finally {
        release(slot, environment);
      }
    },
    async close() {
      await Promise.all([...slots.values()].flatMap(({ environments }) => environments.map((each) => each.close())));
    },
  };
}

function openSlot(definition: LocalFunction, environment: Record<string, string>): Slot {
  return { definition, environment, revision: "", environments: [], busy: new Set(), waiting: [] };
}

function update(slot: Slot, definition: LocalFunction, environment: Record<string, string>): void {
  if (isDeepStrictEqual([slot.definition, slot.environment], [definition, environment])) return;
  Object.assign(slot, { definition, environment });
  retireAll(slot);
}

function retireAll(slot: Slot): void {
  for (const each of slot.environments) each.retire();
  slot.environments = [];
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

function idleOf(slot: Slot, { output }: EnvironmentsOptions): Environment | undefined {
  slot.environments = slot.environments.filter((each) => each.usable());
  const idle = slot.environments.find((each) => !slot.busy.has(each));
  if (idle || slot.environments.length >= mostAtOnce) return idle;
  const started = startEnvironment(slot.definition, { environment: slot.environment, output });
  slot.environments.push(started);
  return started;
}
