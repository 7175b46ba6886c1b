import type { Builds } from "../builds/builds.ts";
import type { LocalFunction } from "../stack/template.ts";
import { startEnvironment } from "./environment.ts";

/** The functions of the stack, the settings all of them get, and the names of those that a deploy calls. */
export interface TriggerOptions {
  functions: readonly LocalFunction[];
  environment: Record<string, string>;
  triggers: readonly string[];
  /** Builds a function before it is called; without it, the build must exist. */
  builds?: Builds;
}

/**
 * Calls the functions that a deploy of the stack calls, one after the other, and waits for them. Throws if one fails,
 * as the deploy would fail.
 */
export async function runTriggers({ functions, environment, triggers, builds }: TriggerOptions): Promise<void> {
  for (const name of triggers) {
    const definition = functions.find((each) => each.name === name);
    if (!definition) throw new Error(`The stack's trigger calls ${name}, which is no function of the stack.`);
    await builds?.build(name);
    await call(definition, environment);
  }
}

async function call(definition: LocalFunction, environment: Record<string, string>): Promise<void> {
  let printed = "";
  const output = (text: string) => {
    printed += text;
  };
  const started = startEnvironment(definition, { environment, output });
  try {
    await started.invoke({});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${definition.name}, which a deploy calls, failed: ${reason}\n${printed}`, { cause: error });
  } finally {
    await started.close();
  }
}
