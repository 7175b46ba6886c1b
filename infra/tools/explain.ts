import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReleaseManifest } from "../functions/release.ts";
import { escapeLine } from "../runtime/console/style.ts";
import { isOf, type LogLine, readLine } from "../runtime/log-lines.ts";
import { readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { findDeployedLines, findReleases } from "./explain/deployed-lines.ts";
import { createStackMapper, noteOn } from "./explain/mapped-stacks.ts";
import { inStage, readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";

/** Users report what failed today or yesterday. */
const usualHours = 24;

const help = `npm run explain -- [--stage NAME [--stages FILE]] --request ID | STACK | -

Prints what the logs hold of a request, as a story: the request, the messages and changes that followed from it, and what became
of each; with stacks by lines of the sources. Or maps a stack, or lines of a log, that are given as text or, with -, on standard
input.

  --request ID   the id that a refusal, the header X-Request-Id or a log line names
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine
  --stages FILE  the file that has the stage (infra/stages/stages.ts)
  --hours N      how far to look back in a stage's logs (${usualHours})

Lines are mapped where this checkout gives the very build that the stack is of; for another it says which commit to check out.

Ends with 0, with 1 where the logs hold nothing of the request, and with 2 when the call was wrong.
`;

/** Fields that the line's beginning already says or that are equal in all lines of a story, and clients' addresses. */
const unsaid = new Set(
  ["level", "message", "timestamp", "time", "operation", "build", "request_id", "request_ids", "stack", "type"].concat([
    "record",
    "source_ip",
  ]),
);

if (import.meta.main) await runCommand((parameters) => explain(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function explain(parameters: string[], directory: string): Promise<number> {
  const options = { ...stageOptions, request: textOption, hours: textOption };
  const call = readArguments("explain", help, { args: parameters, options, allowPositionals: true });
  const { request, hours } = call.values;
  const given = call.positionals.join(" ");
  if ((request === undefined) === (given === "")) {
    throw new UsageError("Give either --request ID or a stack (npm run explain -- --help)");
  }
  const find = async (stage?: string) => {
    if (request === undefined) return linesIn(given);
    const id = readId(request);
    return stage === undefined ? findLocalLines(directory, id) : findDeployedLines(stage, id, readHours(hours));
  };
  const chosen = readStage(call.values);
  if (chosen === undefined) return report(await find(), async () => []);
  const { name } = chosen.stage;
  return inStage(chosen, async () => report(await find(name), () => findReleases(name)));
}

function findLocalLines(directory: string, requestId: string): LogLine[] {
  const files = ["machine.log.1", "machine.log"].map((name) => join(directory, name)).filter(existsSync);
  const texts = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return texts.map((text) => readLine(text, { source: "machine" })).filter((line) => isOf(line, requestId));
}

async function report(lines: readonly LogLine[], find: () => Promise<ReleaseManifest[]>): Promise<number> {
  if (lines.length === 0) {
    process.stdout.write("The logs hold nothing of that request.\n");
    return 1;
  }
  const { map, others } = createStackMapper();
  process.stdout.write(describeStory(lines, map));
  for (const [hash, name] of others) process.stdout.write(`${noteOn(hash, name, await find())}\n`);
  return 0;
}

/** The lines of a log; any other text is taken as one stack. */
function linesIn(given: string): LogLine[] {
  const text = given === "-" ? readFileSync(0, "utf8") : given;
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length > 0) return lines.map((line) => readLine(line, { source: "log" }));
  return [{ at: 0, source: "", fields: { stack: text.replaceAll(/(\s|\\n)+(?=at )/g, "\n") } }];
}

function readId(id: string): string {
  if (/^[\w=.-]{1,64}$/.test(id)) return id;
  throw new UsageError("--request takes an id as a refusal or a log line names it");
}

function readHours(text = String(usualHours)): number {
  const hours = Number(text);
  if (hours > 0) return hours;
  throw new UsageError(`--hours takes a number above 0, not "${text}"`);
}

type MapStack = ReturnType<typeof createStackMapper>["map"];

/** The log lines of a request as a story, oldest first, with stacks mapped to the sources. */
function describeStory(lines: readonly LogLine[], map: MapStack): string {
  const sorted = lines.toSorted((one, other) => one.at - other.at);
  const width = Math.max(...sorted.map(({ source }) => source.length));
  return sorted.map((line) => describeLine(line, width, map)).join("");
}

function describeLine({ at, source, fields }: LogLine, width: number, map: MapStack): string {
  const { level = "info", message, type, record, request_ids, stack } = fields;
  const requests = Array.isArray(request_ids) ? [`(of ${request_ids.length} requests)`] : [];
  const known = { ...fields, ...(type === undefined ? {} : platformFields(record)) };
  const facts = Object.entries(known).flatMap(([name, value]) =>
    unsaid.has(name) || value === undefined ? [] : [`${name}=${plain(value)}`],
  );
  const grave = level === "info" ? [] : [plain(level)];
  const words = [...grave, plain(message ?? type ?? "request"), ...requests, ...facts].join(" ");
  const frames = typeof stack === "string" ? map(stack) : [];
  const stackLines = frames.map((frame) => `    ${plain(frame)}\n`).join("");
  return source === "" ? stackLines : `${timeOf(at)}  ${source.padEnd(width)}  ${words}\n${stackLines}`;
}

function platformFields(record: unknown): Record<string, unknown> {
  const { status, errorType, requestId } = (record ?? {}) as Record<string, unknown>;
  return { status, errorType, lambda_request_id: requestId };
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

function plain(value: unknown): string {
  return escapeLine(typeof value === "string" ? value : JSON.stringify(value));
}
