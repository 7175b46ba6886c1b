import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeLine } from "../runtime/console/style.ts";
import { isOf, type LogLine, readLine } from "../runtime/log-lines.ts";
import { namesOf } from "../stages/names.ts";
import { readArguments, runCommand, textOption, UsageError } from "./cli/command.ts";
import { findDeployedLines } from "./explain/deployed-lines.ts";
import { createStackMapper } from "./explain/mapped-stacks.ts";
import { inStage, readStage, stageOptions } from "./service/deployed-stage.ts";
import { localDirectory } from "./service/local-service.ts";

/** Users report what failed today or yesterday. */
const usualHours = "24";

const help = `npm run explain -- [--stage NAME [--stages FILE]] --request ID | STACK | -

Prints a request as a story from its log lines: what it was, what followed, and what became of each part. Or prints a stack, or
lines of a log, given as text or, with -, on standard input. Stacks have lines of the sources if this checkout gives their build.

  --request ID   the id that a refusal, the header X-Request-Id or a log line names
  --stage NAME   a stage in AWS, with your own credentials; without it the local machine
  --stages FILE  the file that has the stage (infra/stages/stages.ts)
  --hours N      how far to look back in a stage's logs (${usualHours})

Ends with 0, with 1 where the logs hold nothing of the request, and with 2 when the call was wrong.
`;

/** Fields that the line's beginning already says or that are equal in all lines of a story, and clients' addresses. */
const unsaid = new Set(
  "level message timestamp time operation build request_id request_ids stack type record source_ip".split(" "),
);

if (import.meta.main) await runCommand((parameters) => explain(parameters, localDirectory()));

/** Runs the command on a machine's directory and returns its exit code. */
export async function explain(parameters: string[], directory: string): Promise<number> {
  const options = { ...stageOptions, request: textOption, hours: { ...textOption, default: usualHours } };
  const call = readArguments("explain", help, { args: parameters, options, allowPositionals: true });
  const { request } = call.values;
  const given = call.positionals.join(" ");
  if ((request === undefined) === (given === "")) throw new UsageError("Give either --request ID or a stack (--help)");
  if (request !== undefined && !/^[\w=.-]{1,64}$/.test(request))
    throw new UsageError("--request takes an id as a refusal or a log line names it");
  const hours = Number(call.values.hours);
  if (!(hours > 0)) throw new UsageError(`--hours takes a number above 0, not "${call.values.hours}"`);
  const chosen = readStage(call.values);
  if (request === undefined) return report(linesIn(given), chosen?.stage.name);
  if (!chosen) return report(findLocalLines(directory, request));
  const { name } = chosen.stage;
  return report(await inStage(chosen, () => findDeployedLines(name, request, hours)), name);
}

function findLocalLines(directory: string, requestId: string): LogLine[] {
  const files = ["machine.log.1", "machine.log"].map((name) => join(directory, name)).filter(existsSync);
  const texts = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  return texts.map((text) => readLine(text, { source: "machine" })).filter((line) => isOf(line, requestId));
}

/** The lines of a log; any other text is taken as one stack. */
function linesIn(given: string): LogLine[] {
  const text = given === "-" ? readFileSync(0, "utf8") : given;
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length > 0) return lines.map((line) => readLine(line, { source: "log" }));
  return [{ at: 0, source: "", fields: { stack: text.replaceAll(/(\s|\\n)+(?=at )/g, "\n") } }];
}

/** Prints the lines of a request as a story, oldest first, with stacks mapped to the sources. */
function report(lines: readonly LogLine[], stage = "STAGE"): number {
  if (lines.length === 0) {
    process.stdout.write("The logs hold nothing of that request.\n");
    return 1;
  }
  const { map, others } = createStackMapper();
  const width = Math.max(...lines.map(({ source }) => source.length));
  for (const { at, source, fields } of lines.toSorted((one, other) => one.at - other.at)) {
    const time = new Date(at).toISOString().slice(11, 23);
    if (source !== "") process.stdout.write(`${time}  ${source.padEnd(width)}  ${wordsOf(fields)}\n`);
    for (const frame of map(String(fields.stack ?? ""))) process.stdout.write(`    ${plain(frame)}\n`);
  }
  const advice = `check out the commit that ${namesOf(stage).release} in the Parameter Store has beside it, npm ci, and repeat`;
  for (const [hash, name] of others)
    process.stdout.write(`Build ${hash} of ${name} is of another release, so its lines are not mapped: ${advice}.\n`);
  return 0;
}

function wordsOf(fields: LogLine["fields"]): string {
  const { level = "info", message, type, record, request_ids } = fields;
  const { status, errorType, requestId } = (record ?? {}) as Record<string, unknown>;
  const known = type === undefined ? fields : { ...fields, status, errorType, lambda_request_id: requestId };
  const facts = Object.entries(known).flatMap(([name, value]) =>
    unsaid.has(name) || value === undefined ? [] : [`${name}=${plain(value)}`],
  );
  const requests = Array.isArray(request_ids) ? [`(of ${request_ids.length} requests)`] : [];
  const grave = level === "info" ? [] : [plain(level)];
  return [...grave, plain(message ?? type ?? "request"), ...requests, ...facts].join(" ");
}

function plain(value: unknown): string {
  return escapeLine(typeof value === "string" ? value : JSON.stringify(value));
}
