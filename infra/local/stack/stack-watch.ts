import { relative } from "node:path";
import { type FileStamps, stampFiles } from "../file-stamps.ts";
import { type LocalSynthesis, root, synthesizeAgain } from "./synthesis.ts";

/** The stack that is followed, and what is called as it changes. */
export interface StackWatchOptions {
  directory: string;
  /** The files that the stack is made from, and when they began to be read (milliseconds since 1970). */
  made: { from: readonly string[]; at: number };
  /** Called with the file that a new synthesis begins for. */
  onBegin(file: string): void;
  /** Called with each new synthesis; what it throws goes to `onFailure`. */
  onSynthesis(synthesis: LocalSynthesis): Promise<void>;
  /** Called where a synthesis fails, or what came of it is not taken; the next change is another try. */
  onFailure(error: unknown): void;
}

const lookEveryMilliseconds = 300;

/** Synthesises the stack again whenever a file that it is made from has changed, and was left alone for a moment. */
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
    // An editor, or a change of branch, writes more than one file.
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
