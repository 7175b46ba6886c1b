import type { Invoke } from "./environments.ts";

/** One call of a worker, as developers are shown it. */
export interface WorkerCall {
  functionName: string;
  event: unknown;
  /** The number of messages or stream records in the event; undefined for an event without any. */
  records: number | undefined;
  milliseconds: number;
  output: string;
  error?: unknown;
}

export interface WorkListeners {
  onWork?(work: WorkerCall): void;
  /** Called if a queue or the stream cannot be read. The read is retried. */
  onWorkerFailure?(functionName: string, error: unknown): void;
}

/** Reports every call of a worker, however it ends. */
export function reportWork(invoke: Invoke, { onWork }: WorkListeners): Invoke {
  return async (functionName, event) => {
    const began = performance.now();
    const records = (event as { Records?: unknown[] }).Records?.length;
    const work: Omit<WorkerCall, "milliseconds"> = { functionName, event, records, output: "" };
    try {
      return await invoke(functionName, event, (text) => {
        work.output += text;
      });
    } catch (error) {
      work.error = error;
      throw error;
    } finally {
      onWork?.({ ...work, milliseconds: performance.now() - began });
    }
  };
}
