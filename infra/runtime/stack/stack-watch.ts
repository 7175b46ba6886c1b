import { relative } from "node:path";
import { messageOf } from "../../support/message-of.ts";
import { root } from "../../support/root.ts";
import type { Template } from "../../support/stack-template.ts";
import { type FindChanged, stampFiles } from "../file-stamps.ts";
import { type App, synthesizeAgain } from "./synthesis.ts";

export interface StackWatchOptions {
  app: App;
  directory: string;
  /** The source files of the stack, and when the last synthesis began to read them (milliseconds since 1970). */
  made: { from: readonly string[]; at: number };
  /** Called with the template of each new synthesis. */
  replace(template: Template): Promise<void>;
  /** Called with a line when a synthesis begins, and with one on its result. */
  say(line: string): void;
}

const lookEveryMilliseconds = 300;

/** Synthesises the stack again after one of its source files has changed and none changes any more. */
export function watchStack({ app, directory, made, replace, say }: StackWatchOptions): { stop(): Promise<void> } {
  let { from } = made;
  let findChanged = stampFiles(from, made.at);
  let settling: FindChanged | undefined;
  let running: Promise<void> | undefined;

  const synthesize = async () => {
    const at = Date.now();
    try {
      const { sources, template } = await synthesizeAgain(app, directory);
      from = sources;
      await replace(template);
      say("The changed stack is in use.");
    } catch (error) {
      say(`The stack stays as it was: ${messageOf(error)}`);
    }
    findChanged = stampFiles(from, at);
  };
  const look = () => {
    const changed = findChanged();
    if (running || changed === undefined) return;
    // Wait, because an editor or a change of branch writes several files.
    if (!settling || settling() !== undefined) {
      settling = stampFiles(from, 0);
      return;
    }
    settling = undefined;
    say(`${relative(root, changed)} changed: synthesising the stack again …`);
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
