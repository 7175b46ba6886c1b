import { settings } from "./settings.ts";
import { currentWork } from "./work.ts";

/** Values allowed in a log line: ids, codes and figures; never a login, name, token, pin or whole object. */
export type LogFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly (string | number)[]>
>;

/** The level of a line, in Lambda's words for filters. */
export type LogLevel = "info" | "warn" | "error";

/**
 * Writes one line of JSON, with the current work and the build of the running code. An error, and an answer with a 5xx, says
 * what people cannot do.
 */
export function log(level: LogLevel, message: string, fields: LogFields = {}): void {
  const place = { operation: settings.operationIfAny(), build: settings.build() };
  const impact = level === "error" || Number(fields.status) >= 500 ? settings.impact() : undefined;
  const line = { level, message, timestamp: new Date().toISOString(), ...place, ...currentWork(), ...fields, impact };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * The loggable parts of an error: its name and its stack without the message. The message is included only for plain
 * errors, whose texts the service writes. Messages of parsers and of AWS quote their input.
 */
export function faultFields(thrown: unknown): LogFields {
  if (!(thrown instanceof Error)) return { error: typeof thrown };
  const frames = thrown.stack?.split("\n").filter((line) => line.startsWith("    at "));
  return { error: thrown.name, code: codeOf(thrown), error_message: ownWords(thrown), stack: frames?.join("\n") };
}

/** The stable code of one of the service's own errors. */
function codeOf(thrown: Error): string | undefined {
  const code = "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" && /^[a-z_]+$/.test(code) ? code : undefined;
}

function ownWords({ name, message }: Error): string | undefined {
  return ["Error", "TypeError", "RangeError"].includes(name) ? message : undefined;
}
