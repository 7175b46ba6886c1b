import { isDeepStrictEqual } from "node:util";
import type { LocalFunction, LocalStack } from "../stack/template.ts";
import { type Environment, type Output, startEnvironment } from "./environment.ts";

/** Calls a function by its name and passes its output during the call to `output`. */
export type Invoke = (functionName: string, event: unknown, output?: Output) => Promise<unknown>;

export interface Environments {
  /** Returns the function's answer. Rejects with `FunctionError` if the function throws, times out or dies. */
  invoke: Invoke;
  close(): Promise<void>;
}

/** The builds of functions, which environments load. */
export interface Builds {
  /** Brings a function's build up to date and returns its revision. Rejects while the sources do not compile. */
  build(name: string): Promise<string>;
}

export interface EnvironmentsOptions {
  /** The functions at this moment, and the environment of each. */
  current(): { stack: Pick<LocalStack, "functions">; functionEnvironment(name: string): Record<string, string> };
  /** Brings a function's build up to date before each invocation. */
  builds: Builds;
  /** Receives output written between calls. */
  output: Output;
}

interface Slot {
  definition: LocalFunction;
  environment: Record<string, string>;
  revision: string;
  environments: Environment[];
  busy: Set<Environment>;
  waiting: (() => void)[];
}

/** Further calls of a function wait: the machine has no processors for more. */
const mostAtOnce = 4;

/** Long enough for somebody who clicks through an app, short enough that idle functions hold no memory. */
const idleMilliseconds = 8_000;

/**
 * The environments of each function, which take one call at a time as Lambda's do. One starts when it is first needed,
 * and again if the build, the function's definition or a setting changes or the process dies. It ends after some idle
 * seconds.
 */
export function createEnvironments(options: EnvironmentsOptions): Environments {
  const slots = new Map<string, Slot>();
  const idleTimers = new WeakMap<Environment, NodeJS.Timeout>();

  const slotOf = (name: string): Slot => {
    const { stack, functionEnvironment } = options.current();
    const definition = stack.functions.find((each) => each.name === name);
    if (!definition) throw new Error(`The stack has no function ${name}.`);
    const environment = functionEnvironment(name);
    const slot = slots.get(name) ?? openSlot(definition, environment);
    slots.set(name, slot);
    if (!isDeepStrictEqual([slot.definition, slot.environment], [definition, environment])) retireAll(slot);
    return Object.assign(slot, { definition, environment });
  };
  const release = (slot: Slot, environment: Environment) => {
    slot.busy.delete(environment);
    idleTimers.set(environment, setTimeout(environment.retire, idleMilliseconds).unref());
    slot.waiting.shift()?.();
  };
  return {
    async invoke(name, event, output) {
      slotOf(name);
      const revision = await options.builds.build(name);
      const slot = slotOf(name);
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

function retireAll(slot: Slot): void {
  for (const each of slot.environments) each.retire();
  slot.environments = [];
}

/** An idle environment. If all environments that the function may have are busy, waits for the first to become idle. */
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
