import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FunctionName, functions } from "../../functions/functions.ts";
import { root } from "../../local/stack/synthesis.ts";
import { UsageError } from "../cli/command.ts";

/** The file with an operation's sample event. */
export function sampleFile(name: FunctionName): string {
  return join(root, "events", functions[name].area, `${name}.json`);
}

/** The text of an event in a file, or in standard input (`-`). Throws `UsageError` with the place that is not JSON. */
export function readEvent(file: string): string {
  const isInput = file === "-";
  const text = readText(isInput ? 0 : file);
  try {
    const event = JSON.parse(text);
    if (typeof event === "object" && event !== null && !Array.isArray(event)) return text;
  } catch (error) {
    const place = error instanceof Error ? error.message : error;
    throw new UsageError(`The event in ${isInput ? "standard input" : file} is not JSON: ${place}`);
  }
  throw new UsageError(`The event in ${isInput ? "standard input" : file} is not a JSON object.`);
}

/** An event with its `{{placeholders}}` filled in: the token, its session, the pin, and times. Throws `UsageError` on any other. */
export function fillEvent(text: string, { token = "", pin = "" }, now = new Date()): unknown {
  const values: Readonly<Record<string, string>> = {
    token,
    session: sessionOf(token),
    pin,
    now: now.toISOString(),
    in_10_minutes: new Date(now.getTime() + 600_000).toISOString(),
  };
  const filled = text.replaceAll(/\{\{(\w*)\}\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(values).map((each) => `{{${each}}}`);
    throw new UsageError(`The event holds ${placeholder}; what can be filled in is ${known.join(", ")}.`);
  });
  return JSON.parse(filled);
}

/** The session of an access token of the service; empty for any other token. */
function sessionOf(token: string): string {
  const [, payload = ""] = token.split(".");
  return payload === "" ? "" : String(JSON.parse(Buffer.from(payload, "base64url").toString()).sid);
}

/** True if an event has a placeholder of this name. */
export function asksFor(text: string, name: string): boolean {
  return text.includes(`{{${name}}}`);
}

function readText(file: string | 0): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`The event cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
