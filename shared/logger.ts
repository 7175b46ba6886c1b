/** Values a log line may carry: ids, codes and figures; never a login, name, token, pin or whole object. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | readonly number[]>>;

/** Writes one line of JSON. */
export function log(level: "info" | "warn" | "error", message: string, fields: LogFields = {}): void {
  const line = JSON.stringify({ level, message, time: new Date().toISOString(), ...fields });
  process.stdout.write(`${line}\n`);
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
