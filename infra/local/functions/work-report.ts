import type { Output } from "./environment.ts";
import type { Invoke } from "./environments.ts";

/** One call of a worker, as developers are shown it. */
export interface Work {
  functionName: string;
  event: unknown;
  /** The number of messages or stream records in the event; undefined for an event without any. */
  records: number | undefined;
  milliseconds: number;
  output: string;
  error?: unknown;
}

export interface WorkListeners {
  onWork?(work: Work): void;
  /** Called if a queue or the stream cannot be read. The read is retried. */
  onWorkerFailure?(functionName: string, error: unknown): void;
}

/** Reports every call of a worker, however it ends. */
export function reportWork(invoke: Invoke, { onWork }: WorkListeners): Invoke {
  return (functionName, event) => {
    const began = performance.now();
    const records = (event as { Records?: unknown[] }).Records?.length;
    let output = "";
    const add: Output = (text) => {
      output += text;
    };
    const report = (outcome: { error?: unknown }) =>
      onWork?.({ functionName, event, records, milliseconds: performance.now() - began, output, ...outcome });
    return invoke(functionName, event, add).then(
      (answer) => {
        report({});
        return answer;
      },
      (error) => {
        report({ error });
        throw error;
      },
    );
  };
}
