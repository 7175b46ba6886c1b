import { settings } from "./settings.ts";
import { currentWork } from "./work.ts";

/** Values a log line may carry: ids, codes and figures; never a login, name, token, pin or whole object. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly (string | number)[]>
>;

/** How grave a line is, in the words that Lambda filters by. */
export type LogLevel = "info" | "warn" | "error";

/** Writes one line of JSON, with what it belongs to: the work under way, and the build of the code that runs. */
export function log(level: LogLevel, message: string, fields: LogFields = {}): void {
  const place = { operation: settings.operationIfAny(), build: settings.build() };
  const line = { level, message, timestamp: new Date().toISOString(), ...place, ...currentWork(), ...fields };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * What of a thrown thing belongs in a log: its name, its stack without the message, and the message only of plain errors,
 * which the service itself words. Messages of parsers and of AWS quote what they were given.
 */
export function faultFields(thrown: unknown): LogFields {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const frames = thrown.stack?.split("\n").filter((line) => line.startsWith("    at "));
  return { error: thrown.name, code: codeOf(thrown), error_message: ownWords(thrown), stack: frames?.join("\n") };
}

/** The stable code of an error of the service itself. */
function codeOf(thrown: Error): string | undefined {
  const code = "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" && /^[a-z_]+$/.test(code) ? code : undefined;
}

function ownWords({ name, message }: Error): string | undefined {
  return ["Error", "TypeError", "RangeError", "ItemTooNewError"].includes(name) ? message : undefined;
}
