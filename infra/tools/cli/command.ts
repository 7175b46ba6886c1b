import { type ParseArgsConfig, parseArgs } from "node:util";
import { likelyNameOf } from "../../../shared/run/nearest.ts";
import { messageOf } from "../../support/message-of.ts";

/** A mistake in how a command was called; the message says how to fix it. */
export class UsageError extends Error {}

/** The call asks for the help, which is the message. */
class HelpWanted extends Error {}

/** A signal ended work that could not end in order; the message says how far it came. */
export class StoppedError extends Error {}

/** Exit code of a command that a signal stopped. */
export const interrupted = 130;

/** Runs a command: the exit code is its result, 2 after a mistake in the call, 130 after a signal, 1 after any other error. */
export async function runCommand(command: (parameters: string[]) => Promise<number> | number): Promise<void> {
  process.stdout.off("error", passReaderGone).on("error", passReaderGone);
  try {
    process.exitCode = await command(process.argv.slice(2));
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    if (error instanceof HelpWanted) process.stdout.write(error.message);
    else process.stderr.write(`${messageOf(error)}\n`);
  }
}

/** A reader such as `head` may close the pipe. The command's work goes on, without output. */
function passReaderGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof HelpWanted) return 0;
  if (error instanceof StoppedError) return interrupted;
  return error instanceof UsageError ? 2 : 1;
}

/** Aborts on a signal, so that the command can end in order. */
export function abortOnSignals(): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const abort = () => stop.abort();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, abort);
  return {
    signal: stop.signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, abort);
    },
  };
}

/** Returns what work does. If it throws, the call is mistaken: throws `UsageError` with these words and the message. */
export function orMistake<T>(words: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UsageError(words + messageOf(error));
  }
}

/** An option with a value. */
export const textOption = { type: "string" } as const;

/** An option without one. */
export const flagOption = { type: "boolean" } as const;

/**
 * The options and words of a command line. With `--help` it throws, and `runCommand` prints the help. Throws `UsageError` on
 * an unknown option, and on one that npm took for its own because the call has no `--`.
 */
export function readArguments<const T extends ParseArgsConfig>(command: string, help: string, config: T) {
  const read = parse({ ...config, options: { ...config.options, help: { type: "boolean" } } }, command);
  if ("help" in read.values) throw new HelpWanted(help);
  const taken = Object.keys(config.options ?? {}).find((name) => !(name in read.values) && isTakenByNpm(name, command));
  if (taken !== undefined) throw new UsageError(`npm took --${taken} for itself: ${forgotten(command)}`);
  return read as ReturnType<typeof parseArgs<T>>;
}

function parse(config: ParseArgsConfig, command: string) {
  try {
    return parseArgs(config);
  } catch (error) {
    // npm takes an option and leaves its value; after a `--` it takes none.
    const { args = process.argv.slice(2) } = config;
    const isValue =
      (error as NodeJS.ErrnoException).code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL" &&
      !args.some((each) => each.startsWith("--"));
    throw new UsageError(
      `${messageOf(error)}${isValue ? `: ${forgotten(command)}` : ` (npm run ${command} -- --help)`}`,
    );
  }
}

/** The question to somebody whose options did not arrive. */
export function forgotten(command: string): string {
  return `did you forget \`--\`? (npm run ${command} -- --help)`;
}

/** npm's own settings, which a user's .npmrc may have. A command does less without them. */
const npmsOwn = ["all", "yes"];

/** Whether npm, which runs this command, was given the option: it hands what it takes to its scripts as variables. */
function isTakenByNpm(option: string, command: string): boolean {
  const { env } = process;
  const isGiven = env[`npm_config_${option.replaceAll("-", "_")}`] !== undefined;
  return env.npm_lifecycle_event === command && isGiven && !npmsOwn.includes(option);
}

/** Reads the id in an option. Throws `UsageError` if it is none. */
export function readId(option: "company" | "user", typed: string): number {
  const id = Number(typed);
  if (Number.isSafeInteger(id) && id >= 1) return id;
  throw new UsageError(`--${option} takes the id of a ${option}`);
}

/** Reads the whole number in an option. Throws `UsageError` if it is none, or out of its bounds. */
export function readWholeNumber(option: string, typed: string | number, least: number, most: number): number {
  const number = Number(typed);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new UsageError(`--${option} takes a whole number from ${least} to ${most}`);
}

/** The error for an unknown word. It lists the known ones and suggests the nearest. */
export function unknownWord(kind: string, word: string, known: readonly string[]): UsageError {
  const nearest = likelyNameOf(word, known);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return new UsageError(`There is no ${kind} "${word}".${hint}\nThere are ${known.join(", ")}.`);
}
