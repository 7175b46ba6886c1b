import type { Output } from "./environment.ts";
import type { Invoke } from "./environments.ts";

/** One call of a worker, for a developer's eyes. */
export interface Work {
  functionName: string;
  /** What it was called with. */
  event: unknown;
  /** How many messages or changes it was called with; undefined for a call without. */
  records: number | undefined;
  milliseconds: number;
  /** What it wrote. */
  output: string;
  /** Why it failed as a whole. */
  error?: unknown;
}

/** What is called with the workers' calls, and with failures that are none. */
export interface WorkListeners {
  onWork?(work: Work): void;
  onWorkerFailure?(functionName: string, error: unknown): void;
}

/** Has every call of a worker reported once, however it ends. */
export function reportWork(invoke: Invoke, { onWork, onWorkerFailure }: WorkListeners) {
  const reported = new WeakSet<object>();
  return {
    async invoke(functionName: string, event: unknown): Promise<unknown> {
      const began = performance.now();
      const records = (event as { Records?: unknown[] }).Records?.length;
      let output = "";
      const add: Output = (text) => {
        output += text;
      };
      const report = (outcome: { error?: unknown }) =>
        onWork?.({ functionName, event, records, milliseconds: performance.now() - began, output, ...outcome });
      try {
        const answer = await invoke(functionName, event, add);
        report({});
        return answer;
      } catch (error) {
        report({ error });
        if (error instanceof Error) reported.add(error);
        throw error;
      }
    },
    onFailure(functionName: string, error: unknown): void {
      if (!(error instanceof Error) || !reported.has(error)) onWorkerFailure?.(functionName, error);
    },
  };
}
