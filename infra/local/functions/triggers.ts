import { createEnvironments, type EnvironmentsOptions } from "./environments.ts";

/** The functions of the stack, and the names of those that a deploy calls. */
export interface TriggerOptions extends Pick<EnvironmentsOptions, "functions" | "environment" | "builds"> {
  triggers: readonly string[];
}

/**
 * Calls the functions that a deploy of the stack calls, one after the other, and waits for them. Throws if one fails,
 * as the deploy would fail.
 */
export async function runTriggers({ triggers, functions, environment, builds }: TriggerOptions): Promise<void> {
  let printed = "";
  const output = (text: string) => {
    printed += text;
  };
  const environments = createEnvironments({ functions, environment, ...(builds && { builds }), output });
  try {
    for (const name of triggers) {
      await environments.invoke(name, {}).catch((error) => {
        throw new Error(`${name}, which a deploy calls, failed: ${error.message}\n${printed}`, { cause: error });
      });
    }
  } finally {
    await environments.close();
  }
}
