import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { operations } from "../../shared/contract/operations.ts";
import { requestText, workText } from "../runtime/console/call-lines.ts";
import { escapeControls, styleOf } from "../runtime/console/style.ts";
import { namesOf } from "../stages/names.ts";
import { isAlive } from "../support/is-alive.ts";
import { messageOf } from "../support/message-of.ts";
import { root } from "../support/root.ts";
import { flagOption, readArguments, runCommand, UsageError } from "../tools/cli/command.ts";
import type { findDemoPeople } from "./demo/demo.ts";
import { demoPasscode, demoPassword } from "./demo/demo-people.ts";
import { enterEnvironment } from "./local-aws.ts";
import { type Machine, startMachine } from "./machine.ts";

const help = `npm start [-- --fresh] [--lan]

Runs the whole service on this machine: the synthesised stack's routes, functions, table and queues, on a local
DynamoDB engine and local SES, SNS, SQS, EventBridge and Secrets Manager. Data stays in .local/ between runs.

  --fresh   drop the data of earlier runs first
  --lan     let other computers of this network connect, to the API and to the desk with all that it shows
  --help    show this

  PORT                 port to answer on (3000)
  DYNAMODB_ENGINE      dynoxide or dynamodb-local (the first of them that runs here)
  DYNAMODB_ENDPOINT    use a DynamoDB that runs already
  WORKFORCE_DIRECTORY  folder to keep everything in (.local)
`;

const lanWarning =
  "Warning: with --lan everyone on this network can call the API and use the desk, which gives out tokens of every user.";
const demoSettlesWithinMilliseconds = 60_000;
const lookEveryMilliseconds = 500;
const lostEndsWithinMilliseconds = 5_000;
const style = styleOf(process.stderr);
const directory = process.env.WORKFORCE_DIRECTORY ?? `${root}.local`;

await runCommand(start);

async function start(parameters: string[]): Promise<number> {
  const { values } = readArguments("start", help, {
    args: parameters,
    options: { fresh: flagOption, lan: flagOption },
  });
  const port = readPort();
  if (values.lan) say(lanWarning);
  // Functions run in UTC in AWS. Their output must not depend on the developer's time zone.
  process.env.TZ = "UTC";
  let machine: Machine | undefined;
  endInOrder(() => machine);
  try {
    machine = await startMachine({
      directory,
      port,
      ...values,
      onProgress: (step) => say(`${step} …`),
      onRequest: (request) => say(requestText(request, new Date(), style)),
      onWork: (work) => say(workText(work, new Date(), style)),
      onWorkerFailure: (name, error) => say(`${name} cannot be fed, it is tried again: ${firstLine(error)}`),
      onStack: (line) => say(escapeControls(line)),
    });
    void endWithEngine(machine);
    await introduce(machine);
    return 0;
  } catch (error) {
    await machine?.close();
    throw new Error(firstLine(error), { cause: error });
  }
}

function readPort(): number {
  const { PORT } = process.env;
  const port = Number(PORT || 3000);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new UsageError(`PORT is not a port: ${PORT}`);
}

async function introduce(machine: Machine): Promise<void> {
  const { findDemoPeople } = await import("./demo/demo.ts");
  enterEnvironment(machine.environment);
  if (machine.wantsDemo) {
    say("Loading the demo data …");
    await machine.loadDemo();
    // The history and notifications come from the stream. Wait, so that the report covers the whole demo.
    await machine.settled(demoSettlesWithinMilliseconds).catch((error) => say(firstLine(error)));
  }
  process.stdout.write(machineReport(machine, await findDemoPeople()));
}

/** Ends the machine on Ctrl-C, if nobody reads its output, and when npm is gone. */
function endInOrder(startedMachine: () => Machine | undefined): void {
  // A start that is interrupted ends at once, and the engine with it.
  const end = async () => {
    try {
      await startedMachine()?.close();
      process.exit(0);
    } catch (error) {
      say(`Ending failed: ${firstLine(error)}`);
      process.exit(1);
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", end);
  watchNpm(end);
}

/** Ends the machine with the reason, in one sentence, if its table's engine has died and does not start again. */
async function endWithEngine(machine: Machine): Promise<void> {
  const reason = await machine.engine.lost;
  say(`The machine ends, because its table's engine has died: ${firstLine(reason)}`);
  // What waits for the table may hold its end up.
  setTimeout(() => process.exit(1), lostEndsWithinMilliseconds);
  await machine.close().catch(() => {});
  process.exit(1);
}

/**
 * Calls `onGone` when npm ends without signalling this process, as a stop button or a process manager ends it. Does
 * nothing if npm did not start this process, which may then outlive its parent.
 */
function watchNpm(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parents = npmAndItsShell();
  const look = () => parents.every(isAlive) || onGone();
  setInterval(look, lookEveryMilliseconds).unref();
}

/** npm runs a script in a shell. The shell may replace itself with the script's process or stay between both. */
function npmAndItsShell(): number[] {
  const { stdout } = spawnSync("ps", ["-p", String(process.ppid), "-o", "ppid=,comm="], { encoding: "utf8" });
  const [, grandparent, command = ""] = /^\s*(\d+)\s+(.*?)\s*$/.exec(stdout ?? "") ?? [];
  return /(^|\/)-?\w*sh$/.test(command) ? [process.ppid, Number(grandparent)] : [process.ppid];
}

function say(text: string | undefined): void {
  if (text !== undefined) process.stderr.write(`${text}\n`);
}

function firstLine(error: unknown): string {
  return messageOf(error).split("\n")[0] ?? "";
}

type DemoPerson = Awaited<ReturnType<typeof findDemoPeople>>[number];

/** The text that `npm start` prints when the machine is ready: one screen, with no secret but the demo password. */
function machineReport({ baseUrl, engine, logFile }: Machine, people: DemoPerson[]): string {
  const { WORKFORCE_DIRECTORY: folder } = process.env;
  const token = `${folder === undefined ? "" : `WORKFORCE_DIRECTORY='${folder}' `}npm run -s token -- --as`;
  const tried = people.find(({ role }) => role === "operator")?.login;
  return `
Workforce API at ${baseUrl} (ready in ${process.uptime().toFixed(1)} s, table on ${engine.name})

${people.map(personLine).join("\n")}

Token       ${token} LOGIN
Try         curl -s '${baseUrl}/api/v1/finance/invoices?by_state=pending' \\
              -H "Authorization: Bearer $(${token} ${tried})"

Docs        ${baseUrl}/docs has guides, and every operation to try
Operations  ${operations.length}, described at ${baseUrl}/api/v1/openapi.json
Desk        ${baseUrl}/_local/ (requests and their stories, inbox, people)
Events      ${baseUrl}/_local/events takes PutEvents to the bus ${namesOf("local").eventBus}
Logs        ${relative(process.cwd(), logFile)}
Stop        Ctrl-C; the data stays (npm start -- --fresh resets it)

`;
}

function personLine({ role, company_id, login, hasDemoPassword, hasPasscode }: DemoPerson): string {
  const who = company_id === null ? role : `${role} of company ${company_id}`;
  const password = hasDemoPassword ? `password: ${demoPassword}` : "password changed";
  return `${who.padEnd(24)}${login.padEnd(36)}${password}${hasPasscode ? `, passcode: ${demoPasscode}` : ""}`;
}
