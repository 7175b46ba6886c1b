import { relative } from "node:path";
import { type FileStamps, stampFiles } from "../file-stamps.ts";
import { type LocalSynthesis, root, synthesizeAgain } from "./synthesis.ts";

/** The stack to follow, and callbacks for its changes. */
export interface StackWatchOptions {
  directory: string;
  /** The source files of the stack, and when the last synthesis began to read them (milliseconds since 1970). */
  made: { from: readonly string[]; at: number };
  /** Called with the changed file when a new synthesis begins. */
  onBegin(file: string): void;
  /** Called with each new synthesis. Its errors go to `onFailure`. */
  onSynthesis(synthesis: LocalSynthesis): Promise<void>;
  /** Called if a synthesis fails or `onSynthesis` rejects. The next change starts another try. */
  onFailure(error: unknown): void;
}

const lookEveryMilliseconds = 300;

/** Synthesises the stack again after one of its source files has changed and none changes any more. */
export function watchStack(options: StackWatchOptions): { stop(): Promise<void> } {
  let from = options.made.from;
  let stamps = stampFiles(from, options.made.at);
  let settling: FileStamps | undefined;
  let running: Promise<void> | undefined;

  const synthesize = async () => {
    const at = Date.now();
    try {
      const synthesis = await synthesizeAgain(options.directory);
      from = synthesis.sources;
      await options.onSynthesis(synthesis);
    } catch (error) {
      options.onFailure(error);
    }
    stamps = stampFiles(from, at);
  };
  const look = () => {
    if (running || stamps.areCurrent()) return;
    // Wait, because an editor or a change of branch writes several files.
    if (!settling?.areCurrent()) {
      settling = stampFiles(from, 0);
      return;
    }
    settling = undefined;
    options.onBegin(relative(root, stamps.firstChanged() ?? ""));
    running = synthesize().finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(look, lookEveryMilliseconds).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
